/** Takes messages over HTTP, one handler call each, and answers with the status that the handler gives. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Failure } from "../failures.ts";
import { readBody } from "../http/send.ts";

export interface Message {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  port: number;
  close(): Promise<void>;
}

/** A message of a Busbar has at most 300 kB. */
const MAX_BYTES = 1024 * 1024;
const CLOSE_MS = 500;

/** `port` 0 picks a free one. Throws `Failure` when the port cannot be had. */
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
      // Answers that are being written get their time; connections kept open for later do not.
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
