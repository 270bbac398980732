/** A PostgreSQL that can go away and come back at the same address, for drills. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createLog } from "../../server/ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";

export interface RestartablePostgres {
  url: string;
  /** Ends it in order or with SIGKILL, and starts it again after a while. */
  restart(how: "shut down" | "kill", downMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openRestartablePostgres(dataDir: string): Promise<RestartablePostgres> {
  const start = () => startEmbeddedPostgres({ dataDir, log: createLog("silent") });
  let postgres = await start();
  return {
    url: postgres.connectionString,
    async restart(how: "shut down" | "kill", downMs: number): Promise<void> {
      if (how === "kill") {
        const [pid] = (await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n");
        process.kill(Number(pid), "SIGKILL");
      }
      await postgres.stop();
      await wait(downMs);
      postgres = await start();
    },
    close: () => postgres.stop(),
  };
}
