/** Serves a simulated vendor over HTTP. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { toReachableHost } from "../../ground/to-reachable-host.ts";
import type { VendorAnswer } from "./vendor-answer.ts";
import { Vendor, type VendorOptions } from "./vendor.ts";

export interface RunningVendor {
  vendor: Vendor;
  url: string;
  close(): Promise<void>;
}

/** Request as it arrived, for example to check its signature. */
export interface ArrivedRequest {
  method: string;
  /** Path with the query, as it was sent. */
  url: string;
  /** Names and values by turns, as they were sent. */
  rawHeaders: string[];
  body: Buffer;
}

/**
 * Decides the answer to a request; `carryOut` gives that of the vendor. `lost` breaks the connection, and `held` leaves it open, both
 * without an answer.
 */
export type Intercept = (
  request: ArrivedRequest,
  carryOut: () => VendorAnswer,
) => VendorAnswer | "lost" | "held";

const MAX_BYTES = 4 * 1024 * 1024;

/** Starts a simulated vendor, by default on the loopback interface; port 0 chooses a free one. Throws like `listen` if the port is in use. */
export async function startVendor(
  facts: Facts,
  {
    port = 0,
    host = "127.0.0.1",
    intercept = (_request, carryOut) => carryOut(),
    ...options
  }: VendorOptions & { port?: number; host?: string; intercept?: Intercept } = {},
): Promise<RunningVendor> {
  const vendor = new Vendor(facts, options);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on("end", () => {
      const { method = "", url: target = "", headers, rawHeaders } = request;
      const single = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      );
      const body = Buffer.concat(chunks);
      const answer = intercept({ method, url: target, rawHeaders, body }, () =>
        vendor.answer({ method, target, headers: single, body: body.toString() }),
      );
      if (answer === "held") return;
      if (answer === "lost") return void request.socket.destroy();
      response
        .writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
        .end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  vendor.url = `http://${toReachableHost(host)}:${(server.address() as AddressInfo).port}`;
  return {
    vendor,
    url: vendor.url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
