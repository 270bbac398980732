/** The public address of the drill's processes: passes each push on to one of them, or refuses all for a while. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Front {
  url: string;
  /** Pushes that were passed on and accepted, and those that were refused here or there. */
  counts: { accepted: number; refused: number };
  refuses: boolean;
  close(): Promise<void>;
}

export async function startFront(origins: () => string[]): Promise<Front> {
  let turn = 0;
  const passOn = async (path: string, headers: Record<string, string>, body: Buffer): Promise<number> => {
    const all = origins();
    const origin = all[turn++ % Math.max(1, all.length)];
    if (front.refuses || origin === undefined) return 503;
    try {
      const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 502;
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const passed = Object.entries(request.headers).filter(([name]) =>
        /^(x-hubspot-|content-type)/.test(name),
      );
      const headers = Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
      void passOn(request.url ?? "", headers, Buffer.concat(chunks)).then((status) => {
        front.counts[status === 200 ? "accepted" : "refused"] += 1;
        response.writeHead(status).end();
      });
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
