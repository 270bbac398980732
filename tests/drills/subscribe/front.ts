/** The public address of the drill's processes: passes each request on to one of them, or refuses pushes for a while. */
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Front {
  url: string;
  /** Pushes that were accepted, and those that were refused here or there. */
  counts: { accepted: number; refused: number };
  refuses: boolean;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** `ports` returns those of the processes that run. */
export async function startFront(ports: () => number[]): Promise<Front> {
  let turn = 0;
  const server = createHttpServer((request, response) => {
    const isPush = request.url?.startsWith("/subscribe/") ?? false;
    const running = ports();
    const port = running[turn++ % Math.max(1, running.length)];
    const answered =
      port === undefined || (isPush && front.refuses)
        ? readAll(request).then(() => buildRefusal(503))
        : passOn(request, port).catch(() => buildRefusal(502));
    void answered.then(({ status, headers, body }) => {
      if (isPush) front.counts[status === 200 ? "accepted" : "refused"] += 1;
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: { accepted: 0, refused: 0 },
    refuses: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}

const buildRefusal = (status: number): Answer => ({ status, headers: {}, body: Buffer.alloc(0) });

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function passOn(request: IncomingMessage, port: number): Promise<Answer> {
  const { method, url: path, headers } = request;
  const body = await readAll(request);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const passed = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false }, resolve);
    passed.on("error", reject).end(body);
  });
  const { connection: _, "transfer-encoding": __, ...rest } = answer.headers;
  return { status: answer.statusCode ?? 502, headers: rest, body: await readAll(answer) };
}
