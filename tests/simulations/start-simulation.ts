/** Serves over HTTP a provider that is simulated from the description of its connector. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { ArrivedRequest } from "./simulated-aws.ts";
import { SimulatedAccount } from "./simulated-account.ts";
import type { SimulatedAnswer } from "./simulated-exchange.ts";

export interface Simulation {
  url: string;
  account: SimulatedAccount;
  /** Requests since the start: method, and path with query. */
  requests: string[];
  /** Answer for the next request. With `lost`, the request is processed, and the connection breaks without an answer. */
  next: SimulatedAnswer | "lost" | undefined;
  /** Answer for the next write, which scheduled reads may precede. */
  nextWrite?: SimulatedAnswer | "lost";
  /** While it is set, every write is processed, and its connection breaks (`lost`) or stays open (`held`) without an answer. */
  everyWrite?: "lost" | "held";
  close(): Promise<void>;
}

/** Base path, which addresses of next pages contain, as at providers whose base URL has a path. */
const BASE_PATH = "/base";
const MAX_BYTES = 1024 * 1024;

interface SimulationOptions {
  /** Answers a request before the account receives it, for example because of its signature. */
  admit?(request: ArrivedRequest): SimulatedAnswer | undefined;
}

export async function startSimulation(
  description: Description,
  { admit }: SimulationOptions = {},
): Promise<Simulation> {
  const account = new SimulatedAccount(description);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on("end", () => {
      const { method = "", url = "", headers, rawHeaders } = request;
      requests.push(`${method} ${url}`);
      const body = Buffer.concat(chunks);
      const send = ({ status, headers: own, body: sent }: SimulatedAnswer): void => {
        const date = new Date(account.now).toUTCString();
        response
          .writeHead(status, { "content-type": "application/json", date, ...own })
          .end(sent === undefined ? undefined : JSON.stringify(sent));
      };
      const refused = admit?.({ method, url, rawHeaders, body });
      if (refused) return send(refused);
      const ordered = simulation.next ?? (method === "GET" ? undefined : simulation.nextWrite);
      if (ordered === simulation.nextWrite) delete simulation.nextWrite;
      simulation.next = undefined;
      const carryOut = (): SimulatedAnswer =>
        account.answer({
          method,
          // An empty rest is the base URL itself.
          path: url.slice(BASE_PATH.length) || "/",
          baseUrl: simulation.url,
          contentType: headers["content-type"] ?? "",
          headers,
          body: body.toString(),
        });
      const { everyWrite } = simulation;
      if (everyWrite && method !== "GET") {
        carryOut();
        if (everyWrite === "lost") request.socket.destroy();
        return;
      }
      const answer = ordered === undefined || ordered === "lost" ? carryOut() : ordered;
      if (ordered === "lost") return void request.socket.destroy();
      send(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const simulation: Simulation = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`,
    account,
    requests,
    next: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return simulation;
}
