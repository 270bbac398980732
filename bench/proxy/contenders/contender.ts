/** What every proxy under test has in common: it is told where the provider is, and says where it listens. */
import type { Server } from "node:http";

export interface Contender {
  server: Server;
  /** Header lines that a request to this proxy needs, beyond those that all are sent. */
  lines?: string[];
}

/** Runs in the proxy's own process; ends with its parent. */
export async function serveContender(open: (origin: string) => Promise<Contender>): Promise<void> {
  const origin = process.argv[2];
  if (!origin) throw new Error("usage: <contender>.ts <origin of the provider>");
  const { server, lines = [] } = await open(origin);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address) process.send?.({ port: address.port, lines });
  });
  process.on("disconnect", () => process.exit());
  process.on("message", () => process.send?.({ rssBytes: process.memoryUsage().rss }));
}
