/** The common part of every proxy under test: it receives the provider's address and reports its own. */
import cluster from "node:cluster";
import type { Server } from "node:http";

interface Contender {
  server: Server;
  /** Additional header lines that this proxy needs. */
  lines?: string[];
}

/** Runs the proxy in this process, or in BENCH_PROCESSES processes; exits with its parent. */
export async function serveContender(open: (origin: string) => Promise<Contender>): Promise<void> {
  process.on("disconnect", () => process.exit());
  const processes = Number(process.env["BENCH_PROCESSES"] ?? 1);
  if (processes > 1 && cluster.isPrimary) return supervise(processes);
  const origin = process.argv[2];
  if (!origin) throw new Error("usage: <contender>.ts <origin of the provider>");
  const { server, lines = [] } = await open(origin);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address) process.send?.({ port: address.port, lines });
  });
  process.on("message", () => process.send?.({ rssBytes: process.memoryUsage().rss }));
}

/** Reports the shared address when all processes listen. */
async function supervise(processes: number): Promise<void> {
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const reported = await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))),
  );
  process.send?.(reported[0]);
}
