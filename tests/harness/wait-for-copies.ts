/** Waits for replication in tests, for as long as a busy machine needs: a change itself waits for its copies for a second only. */
import { Client } from "pg";
import type { Database } from "../../server/store/database/database.ts";
import { openCopies, READ_POSITION } from "../../server/store/sides/copies.ts";
import { REPLICATION } from "../../server/store/sides/replicate-shared.ts";
import { until } from "./until.ts";

/** Waits until the data database has all changes, and what belonged to removed copies is gone. Does nothing for one database. */
export async function waitForCopies({
  connectionString,
  dataUrl,
}: Pick<Database, "connectionString" | "dataUrl">): Promise<void> {
  if (dataUrl === undefined) return;
  const [control, data] = [new Client({ connectionString }), new Client({ connectionString: dataUrl })];
  try {
    await Promise.all([control.connect(), data.connect()]);
    const { rows } = await control.query<{ position: string }>(READ_POSITION);
    const copies = openCopies(data);
    await until(() => copies.applied(rows[0]?.position ?? ""));
  } finally {
    await Promise.all([control.end(), data.end()]);
  }
}

/** Stops replication: a worker that is still ending would apply the next change. */
export async function stopCopies(dataUrl: string): Promise<void> {
  const data = new Client({ connectionString: dataUrl });
  await data.connect();
  try {
    await data.query(`alter subscription ${REPLICATION} disable`);
    await until(async () => {
      const { rows } = await data.query(
        `select from pg_stat_subscription join pg_database on datname = current_database()
           join pg_subscription on pg_subscription.oid = subid and subdbid = pg_database.oid
         where pid is not null`,
      );
      return rows.length === 0;
    });
  } finally {
    await data.end();
  }
}

/** Starts replication again, without waiting for it. */
export async function resumeCopies(dataUrl: string): Promise<void> {
  const data = new Client({ connectionString: dataUrl });
  await data.connect();
  await data.query(`alter subscription ${REPLICATION} enable`);
  await data.end();
}
