/** Announces this process in each database, so that operators see which processes run. */
import type { Log } from "../../ground/log.ts";
import type { Database, Queries } from "../store/database/database.ts";
import { announceProcess, removeProcess, type RunningProcess } from "../store/processes/running-processes.ts";

const EVERY_MS = 5_000;

/** Announces at once and every five seconds, until stopped. While the database is away, nothing is announced. */
export async function startAnnouncing(
  deps: { database: Database; log: Log },
  /** The number may be known only after a reconnect, so it is read each time. */
  process: () => RunningProcess,
): Promise<{ stop(): Promise<void> }> {
  const { control, shards } = deps.database;
  const databases: Queries[] = [control, ...shards.flatMap(({ data, dataPool }) => (dataPool ? [data] : []))];
  let last: Promise<unknown> = Promise.resolve();
  const announce = (): void => {
    last = Promise.all(
      databases.map((queries) =>
        announceProcess(queries, process()).catch((error: unknown) =>
          deps.log.debug({ error: String(error) }, "process not announced"),
        ),
      ),
    );
  };
  announce();
  const timer = setInterval(announce, EVERY_MS).unref();
  await last;
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await Promise.all(databases.map((queries) => removeProcess(queries, process().id).catch(() => {})));
    },
  };
}
