import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports from which Linux takes those of outgoing connections, one of which could take a port that was found free. */
const [FIRST, COUNT] = [12_000, 20_000];

/** Returns a port that is free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    const isFree = await once(server.listen(port, "127.0.0.1"), "listening").then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
