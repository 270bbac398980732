/** A PostgreSQL that can go away and come back at the same address, for drills. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";

export interface RestartablePostgres {
  url: string;
  /** Ends it in order or with SIGKILL, and starts it again after a while. */
  restart(how: Ending, downMs: number): Promise<void>;
  /** Ends it, and returns what starts it again. */
  takeAway(how: Ending): Promise<() => Promise<void>>;
  /** Ends all its connections. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

type Ending = "shut down" | "kill";

export async function openRestartablePostgres(dataDir: string): Promise<RestartablePostgres> {
  const start = () => startEmbeddedPostgres({ dataDir, log: createLog("silent") });
  let postgres = await start();
  const takeAway: RestartablePostgres["takeAway"] = async (how) => {
    if (how === "kill") {
      const [pid] = (await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
    }
    await postgres.stop();
    return async () => void (postgres = await start());
  };
  return {
    url: postgres.connectionString,
    takeAway,
    async restart(how, downMs) {
      const bringBack = await takeAway(how);
      await wait(downMs);
      await bringBack();
    },
    async disconnect() {
      const client = new Client({ connectionString: postgres.connectionString });
      await client.connect();
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'busbar%' and pid <> pg_backend_pid()",
      );
      await client.end();
    },
    close: () => postgres.stop(),
  };
}
