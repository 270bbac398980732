/** The reference proxy: `node:http` and undici's dispatch, with only one header replaced between them. */
import { createServer } from "node:http";
import { Pool } from "undici";
import { serveContender } from "./contender.ts";

await serveContender(async (origin) => {
  const pool = new Pool(origin);
  const server = createServer((request, response) => {
    const { rawHeaders } = request;
    const headers: string[] = [];
    let hasBody = false;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? "";
      const lower = name.toLowerCase();
      if (lower === "host" || lower === "connection" || lower === "x-api-key") continue;
      if (lower === "content-length") hasBody = true;
      headers.push(name, rawHeaders[at + 1] ?? "");
    }
    headers.push("Authorization", "Bearer provider-token");
    pool.dispatch(
      {
        path: request.url ?? "/",
        method: request.method ?? "GET",
        headers,
        body: hasBody ? request : null,
      },
      {
        onRequestStart() {},
        onResponseStart(_, status, headers) {
          response.writeHead(status, headers);
        },
        onResponseData(controller, chunk) {
          if (response.write(chunk)) return;
          controller.pause();
          response.once("drain", () => controller.resume());
        },
        onResponseEnd() {
          response.end();
        },
        onResponseError() {
          response.destroy();
        },
      },
    );
  });
  return { server };
});
