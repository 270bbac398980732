/** Receives what Busbar sends by itself: messages of destinations, and what is meant for a collector. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  url: string;
  close(): void;
}

/** `keep` gets what a request is, by its path, and its body. */
export async function startReceiver(keep: (of: string, text: string) => void): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const [, to, , kind] = request.url?.split("/") ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const of = to === "collector" ? `${kind} to the collector` : `a message to ${to || "the webhook"}`;
    keep(of, Buffer.concat(chunks).toString());
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
