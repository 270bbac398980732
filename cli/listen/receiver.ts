/** Receives messages over HTTP, calls the handler for each, and answers with the status it returns. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Failure } from "../failures.ts";
import { readBody } from "../http/send.ts";

export interface Message {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Receiver {
  port: number;
  close(): Promise<void>;
}

/** A message has at most 300 kB. */
const MAX_BYTES = 1024 * 1024;
const CLOSE_MS = 500;

/** Listens on `port`, or on a free one if it is 0. Throws `Failure` when that is not possible. */
export async function startReceiver(
  at: { host: string; port: number },
  handle: (message: Message) => Promise<number>,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    answer(request, handle).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(at.port, at.host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`Cannot listen on port ${at.port}: ${why}.`, {
      remedy: "Choose another with --port.",
      cause,
    });
  }
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : at.port,
    async close() {
      const closed = once(server, "close");
      server.close();
      // Answers in progress get half a second; idle connections are closed at once.
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function answer(
  request: IncomingMessage,
  handle: (message: Message) => Promise<number>,
): Promise<number> {
  if (request.method !== "POST") return 405;
  const body = await readBody(request, MAX_BYTES).catch(() => undefined);
  return body ? handle({ headers: request.headers, body }) : 413;
}
