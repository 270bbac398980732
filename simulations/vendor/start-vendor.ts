/** Serves a simulated vendor over HTTP. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { reachableHost } from "../../ground/reachable-host.ts";
import { Vendor, type VendorOptions } from "./vendor.ts";

export interface RunningVendor {
  vendor: Vendor;
  url: string;
  close(): Promise<void>;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Starts a simulated vendor, by default on the loopback interface; port 0 chooses a free one. Throws like `listen` if the port is in use. */
export async function startVendor(
  facts: Facts,
  options: VendorOptions & { port?: number; host?: string } = {},
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
      const { method = "", url: target = "", headers } = request;
      const single = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      );
      const {
        status,
        headers: own,
        body,
      } = vendor.answer({ method, target, headers: single, body: Buffer.concat(chunks).toString() });
      response
        .writeHead(status, { "content-type": "application/json", ...own })
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  const { port = 0, host = "127.0.0.1" } = options;
  server.listen(port, host);
  await once(server, "listening");
  vendor.url = `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`;
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
