/** Lets PostgreSQL replicate the shared tables of the control database into a data database. Each step may be repeated. */
import { setTimeout as wait } from "node:timers/promises";
import { escapeLiteral, type ClientBase } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { StartError } from "../../../ground/errors.ts";

/** Name of the publication on the control database, and of the subscription in each data database. */
export const REPLICATION = "busbar_shared";

/** Condition on subscriptions: the view and the catalog have those of all databases of the server. */
export const OF_THIS_DATABASE = "subdbid = (select oid from pg_database where datname = current_database())";

/**
 * Publishes the tables, and subscribes the data database to them. Copies the rows that are there. `controlUrl` is how the data
 * database's server reaches the control database, and `slot` names the data database there. Without `copyRows`, the tables must
 * be empty.
 */
export async function replicateShared({
  control,
  data,
  controlUrl,
  slot,
  tables,
  copyRows = true,
}: {
  control: ClientBase;
  data: ClientBase;
  controlUrl: string;
  slot: string;
  tables: readonly string[];
  copyRows?: boolean;
}): Promise<void> {
  await requireLogical(control);
  await publish(control, tables);
  if (await isSubscribed(data)) {
    // Copies tables that were added to the publication.
    await data.query(`alter subscription ${REPLICATION} refresh publication`);
    await waitUntilCopied(data);
    return;
  }
  // Created before: on the server of the control database, creating a subscription with its slot would wait for itself.
  await control.query(
    `select pg_create_logical_replication_slot($1, 'pgoutput')
     where not exists (select from pg_replication_slots where slot_name = $1)`,
    [slot],
  );
  await data.query(
    `create subscription ${REPLICATION} connection ${escapeLiteral(controlUrl)} publication ${REPLICATION}
     with (create_slot = false, slot_name = ${escapeLiteral(slot)}, copy_data = ${copyRows})`,
  );
  await waitUntilCopied(data);
}

const ASK_EVERY_MS = 5;
const MAX_WAIT_MS = 60_000;

/** Waits until the rows of all tables are copied, and replication has begun. */
async function waitUntilCopied(data: ClientBase): Promise<void> {
  const untilMs = elapsedMs() + MAX_WAIT_MS;
  while (elapsedMs() < untilMs) {
    const { rows } = await data.query<{ copied: boolean }>(
      `select not exists (select from pg_subscription_rel where srsubid = subid and srsubstate <> 'r') as copied
       from pg_stat_subscription join pg_subscription on pg_subscription.oid = subid
       where pg_subscription.subname = $1 and relid is null and latest_end_lsn is not null and ${OF_THIS_DATABASE}`,
      [REPLICATION],
    );
    if (rows[0]?.copied) return;
    await wait(ASK_EVERY_MS);
  }
  throw new StartError(
    `the control database's tables are not copied after ${MAX_WAIT_MS / 1_000} s: the log of the data database's server says why`,
  );
}

async function requireLogical(control: ClientBase): Promise<void> {
  const { rows } = await control.query<{ level: string; role: string; may: boolean }>(
    `select current_setting('wal_level') as level, current_user as role,
       (select rolsuper or rolreplication from pg_roles where rolname = current_user) as may`,
  );
  const [row] = rows;
  if (row?.level !== "logical")
    throw new StartError(
      `the control database cannot replicate its tables, because its server has wal_level = ${row?.level}: ` +
        "run \"alter system set wal_level = 'logical'\" there, and restart it",
    );
  if (!row.may)
    throw new StartError(
      `the role ${row.role} of the control database may not replicate: run "alter role ${row.role} replication" as a superuser`,
    );
}

async function publish(control: ClientBase, tables: readonly string[]): Promise<void> {
  const { rows } = await control.query("select from pg_publication where pubname = $1", [REPLICATION]);
  const list = tables.join(", ");
  await control.query(
    rows.length > 0
      ? `alter publication ${REPLICATION} set table ${list}`
      : `create publication ${REPLICATION} for table ${list}`,
  );
}

/** Throws `StartError` if a data database does not get copies of the shared tables. */
export async function requireReplication(data: ClientBase): Promise<void> {
  if (await isSubscribed(data)) return;
  throw new StartError("the data database has no subscription to the control database");
}

async function isSubscribed(data: ClientBase): Promise<boolean> {
  const { rows } = await data.query(
    `select from pg_subscription where subname = $1 and ${OF_THIS_DATABASE}`,
    [REPLICATION],
  );
  return rows.length > 0;
}

/** Ends the replication, also one that was begun only in part. */
export async function stopReplicating({
  control,
  data,
  slot,
}: {
  control: ClientBase;
  data: ClientBase;
  slot: string;
}): Promise<void> {
  if (await isSubscribed(data)) await unsubscribe(data);
  await control.query(
    "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1",
    [slot],
  );
}

/** Removes the subscription with its slot; without it if the control database cannot be reached from there. */
async function unsubscribe(data: ClientBase): Promise<void> {
  try {
    await data.query(`drop subscription ${REPLICATION}`);
  } catch {
    await data.query(`alter subscription ${REPLICATION} disable`);
    await data.query(`alter subscription ${REPLICATION} set (slot_name = none)`);
    await data.query(`drop subscription ${REPLICATION}`);
  }
}
