/** The provider of the mixed drill: bodies of any size, a rate limit now and then, and restarts. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Provider {
  url: string;
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** Closes every connection at once, and refuses new ones until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** One in this many calls to /limited is rate-limited. */
const LIMITED_EVERY = 20;

export async function startProvider(): Promise<Provider> {
  let limited = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? "";
    if (path === "/limited" && (limited += 1) % LIMITED_EVERY === 0) {
      response.writeHead(429, { "retry-after": "1", "content-type": "text/plain" }).end("wait");
      return;
    }
    const size = Number(path.slice(path.lastIndexOf("/") + 1)) || 2;
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on("end", () => {
      const body = request.method === "POST" ? String(received) : Buffer.alloc(size, "x");
      response.writeHead(200, { "content-type": "text/plain", "content-length": body.length }).end(body);
    });
  };
  let server = await listen(answer, 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async down() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    async up() {
      server = await listen(answer, port);
    },
  };
}

function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
): Promise<Server> {
  // Busbar reads this from the answer and closes an idle connection earlier.
  const server = createServer({ keepAliveTimeout: 10_000 }, answer);
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}
