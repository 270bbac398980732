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
 * Publishes the tables, and subscribes the data database to them; both must have the same rows. Copies the rows of tables that are
 * published later. `controlUrl` is how the data database's server reaches the control database, and `slot` is the mark of the pair.
 * Changes nothing if all is done, which needs no rights.
 */
export async function replicateShared({
  control,
  data,
  controlUrl,
  slot,
  tables,
}: {
  control: ClientBase;
  data: ClientBase;
  controlUrl: string;
  slot: string;
  tables: readonly string[];
}): Promise<void> {
  const isPublished = await publish(control, { slot, tables });
  if ((await readSubscribedSlot(data)) !== undefined) {
    await awaitStandbys(data);
    if (isPublished) return;
    await data.query(`alter subscription ${REPLICATION} refresh publication`);
    await waitUntilCopied(data);
    return;
  }
  // Created before: on the server of the control database, creating a subscription with its slot would wait for itself.
  await createSlot(control, slot);
  await subscribe({ control, data, controlUrl, slot });
  await waitUntilCopied(data);
}

/** Creates a slot, unless there is one of this name. */
export async function createSlot(control: ClientBase, slot: string): Promise<void> {
  const hasFailover = await hasFailoverSlots(control);
  await control.query(
    `select pg_create_logical_replication_slot($1, 'pgoutput'${hasFailover ? ", false, false, true" : ""})
     where not exists (select from pg_replication_slots where slot_name = $1)`,
    [slot],
  );
}

/**
 * Subscribes to a slot that is there. Copies no rows. Each commit waits until it is safe, on a synchronous standby, too: by default it
 * does not, and the slot would forget changes that the standby lacks when it is promoted.
 */
export async function subscribe({
  control,
  data,
  controlUrl,
  slot,
}: {
  control: ClientBase;
  data: ClientBase;
  controlUrl: string;
  slot: string;
}): Promise<void> {
  const hasFailover = await hasFailoverSlots(control);
  await data.query(
    `create subscription ${REPLICATION} connection ${escapeLiteral(controlUrl)} publication ${REPLICATION}
     with (create_slot = false, slot_name = ${escapeLiteral(slot)}, copy_data = false, synchronous_commit = on${hasFailover ? ", failover = true" : ""})`,
  );
}

/** Values of `synchronous_commit` with which a commit waits for no standby; the first is PostgreSQL's default for a subscription. */
export const UNAWAITED_COMMITS = ["off", "local"];

/** Has a subscription that an earlier version made wait for standbys, too; a role that does not own it leaves it as it is. */
export async function awaitStandbys(data: ClientBase): Promise<void> {
  const isMine = async () => {
    const { rows } = await data.query(
      `select from pg_subscription
       where subname = $1 and subsynccommit = any($2) and pg_has_role(subowner, 'usage') and ${OF_THIS_DATABASE}`,
      [REPLICATION, UNAWAITED_COMMITS],
    );
    return rows.length > 0;
  };
  if (!(await isMine())) return;
  try {
    await data.query(`alter subscription ${REPLICATION} set (synchronous_commit = on)`);
  } catch (error) {
    // Another process has done it at the same moment.
    if (await isMine()) throw error;
  }
}

/** Returns whether a slot can be kept on a standby, too, so that replication goes on after a failover: since PostgreSQL 17. */
async function hasFailoverSlots(control: ClientBase): Promise<boolean> {
  const { rows } = await control.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  return Number(rows[0]?.version) >= 170_000;
}

/** Subscribes to tables that a newer version shares. `publishAll` publishes them where they are missing. */
export async function subscribeToMore(
  data: ClientBase,
  tables: readonly string[],
  publishAll: (tables: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const { rows } = await data.query<{ name: string }>(
    `select relname as name from pg_subscription_rel
       join pg_subscription on pg_subscription.oid = srsubid join pg_class on pg_class.oid = srrelid
     where subname = $1 and ${OF_THIS_DATABASE}`,
    [REPLICATION],
  );
  const subscribed = rows.map(({ name }) => name);
  if (tables.every((name) => subscribed.includes(name))) return;
  await publishAll(tables);
  await data.query(`alter subscription ${REPLICATION} refresh publication`);
  await waitUntilCopied(data);
}

const ASK_EVERY_MS = 5;
const MAX_WAIT_MS = 60_000;

/** Waits until the rows of all tables are copied, and replication has begun. */
export async function waitUntilCopied(data: ClientBase): Promise<void> {
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

/** Publishes the tables, and returns whether they were published before. `slot` is the mark of a pair, if the publication is to have one. */
export async function publish(
  control: ClientBase,
  { slot, tables }: { slot?: string; tables: readonly string[] },
): Promise<boolean> {
  const isNew = (await readPublishedSlot(control)) === undefined;
  const { rows } = await control.query<{ name: string }>(
    "select tablename as name from pg_publication_tables where pubname = $1",
    [REPLICATION],
  );
  const published = new Set(rows.map(({ name }) => name));
  // A newer version may publish more.
  const missing = tables.filter((name) => !published.has(name));
  if (missing.length === 0) return true;
  const list = missing.join(", ");
  // One transaction: a publication without its mark would belong to nobody.
  await control.query(
    isNew
      ? `create publication ${REPLICATION} for table ${list};
         comment on publication ${REPLICATION} is ${slot === undefined ? "null" : escapeLiteral(slot)}`
      : `alter publication ${REPLICATION} add table ${list}`,
  );
  return false;
}

/** Returns the mark of the pair in the control database; undefined if it has no data database. */
export async function readPublishedSlot(control: ClientBase): Promise<string | undefined> {
  const { rows } = await control.query<{ slot: string | null }>(
    "select obj_description(oid, 'pg_publication') as slot from pg_publication where pubname = $1",
    [REPLICATION],
  );
  return rows[0] && (rows[0].slot ?? "");
}

/** Returns the mark of the pair in the data database; undefined if it has no control database. */
export async function readSubscribedSlot(data: ClientBase): Promise<string | undefined> {
  const { rows } = await data.query<{ slot: string | null }>(
    `select subslotname as slot from pg_subscription where subname = $1 and ${OF_THIS_DATABASE}`,
    [REPLICATION],
  );
  return rows[0] && (rows[0].slot ?? "");
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
  if ((await readSubscribedSlot(data)) !== undefined) await unsubscribe(data);
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
