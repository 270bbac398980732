/** Serves a simulated provider over HTTP, from the description that its connector carries out. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Description } from "../connector-kit/described/description.ts";
import { SimulatedAccount } from "./simulated-account.ts";
import type { SimulatedAnswer } from "./simulated-answer.ts";

export interface Simulation {
  url: string;
  account: SimulatedAccount;
  /** Requests since the start: method and path with query. */
  requests: string[];
  /** The next request gets this answer; `lost`: it is carried out, and the connection breaks without an answer. */
  next: SimulatedAnswer | "lost" | undefined;
  /** The same for the next request that writes; reads of a schedule may come before it. */
  nextWrite?: SimulatedAnswer | "lost";
  /** Until it is deleted, every write is carried out and the connection breaks, or stays open without an answer. */
  everyWrite?: "lost" | "held";
  close(): Promise<void>;
}

/** Addresses of next pages contain it, as those of providers whose base URL has a path. */
const BASE_PATH = "/base";
const MOST_BYTES = 1024 * 1024;

export async function startSimulation(description: Description): Promise<Simulation> {
  const account = new SimulatedAccount(description);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push(`${method} ${url}`);
      const ordered = simulation.next ?? (method === "GET" ? undefined : simulation.nextWrite);
      if (ordered === simulation.nextWrite) delete simulation.nextWrite;
      simulation.next = undefined;
      const carriedOut = (): SimulatedAnswer =>
        account.answer({
          method,
          // The base URL itself.
          path: url.slice(BASE_PATH.length) || "/",
          baseUrl: simulation.url,
          contentType: headers["content-type"] ?? "",
          headers,
          body: Buffer.concat(chunks).toString(),
        });
      const { everyWrite } = simulation;
      if (everyWrite && method !== "GET") {
        carriedOut();
        if (everyWrite === "lost") request.socket.destroy();
        return;
      }
      const answer = ordered === undefined || ordered === "lost" ? carriedOut() : ordered;
      if (ordered === "lost") return void request.socket.destroy();
      const text = answer.body === undefined ? undefined : JSON.stringify(answer.body);
      const date = new Date(account.now).toUTCString();
      response
        .writeHead(answer.status, { "content-type": "application/json", date, ...answer.headers })
        .end(text);
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
