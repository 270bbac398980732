/** A receiver for tests: keeps what arrives and answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The message as JSON. */
  message: { notificationType: string; data: Record<string, unknown> };
}

export type Answerer = (received: Received, response: ServerResponse) => void;

export interface Sink {
  url: string;
  received: Received[];
  /** Those that came to a path. */
  at(path: string): Received[];
  /** The messages that came to a path: one that comes again, as on a busy machine, counts once. */
  messagesAt(path: string): Received[];
  /** Ids of the messages that came to a path. */
  idsAt(path: string): Set<string | undefined>;
  /** Answers everything from now on; without one, 200. */
  answer: Answerer;
  close(): Promise<void>;
}

export const accept: Answerer = (_received, response) => void response.writeHead(200).end("thank you");

export async function openSink(): Promise<Sink> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const one: Received = {
        path: request.url ?? "",
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        body,
        message: JSON.parse(body),
      };
      received.push(one);
      sink.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const sink: Sink = {
    url: `http://127.0.0.1:${port}`,
    received,
    at: (path) => received.filter((one) => one.path === path),
    messagesAt: (path) =>
      [
        ...new Map(
          sink
            .at(path)
            .map((one) => [one.headers["webhook-id"], one] as const)
            .toReversed(),
        ).values(),
      ].toReversed(),
    idsAt: (path) => new Set(sink.at(path).map(({ headers }) => headers["webhook-id"])),
    answer: accept,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return sink;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
