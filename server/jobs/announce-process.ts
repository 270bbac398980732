/** Announces this process in each database, so that operators see which processes run. */
import type { Log } from "../../ground/log.ts";
import type { Database, Queries } from "../store/database/database.ts";
import { announceProcess, removeProcess, type RunningProcess } from "../store/processes/running-processes.ts";

const EVERY_MS = 5_000;

/** Announces at once and every five seconds, until stopped. While the database is away, nothing is announced. */
export async function startAnnouncing(
  deps: { database: Database; log: Log },
  /** The number may be known only after a reconnect, so it is read each time. */
  process: () => Omit<RunningProcess, "shards">,
): Promise<{ announce(): void; stop(): Promise<void> }> {
  const { control, shards } = deps.database;
  const listDatabases = (): Queries[] => [
    control,
    ...shards.flatMap(({ data, dataPool }) => (dataPool ? [data] : [])),
  ];
  let last: Promise<unknown> = Promise.resolve();
  const announce = (): void => {
    const announced = { ...process(), shards: shards.slice(1).map(({ shard }) => shard) };
    last = Promise.all(
      listDatabases().map((queries) =>
        announceProcess(queries, announced).catch((error: unknown) =>
          deps.log.debug({ error: String(error) }, "process not announced"),
        ),
      ),
    );
  };
  announce();
  const timer = setInterval(announce, EVERY_MS).unref();
  await last;
  return {
    announce,
    async stop() {
      clearInterval(timer);
      await last;
      await Promise.all(
        listDatabases().map((queries) => removeProcess(queries, process().id).catch(() => {})),
      );
    },
  };
}
