/**
 * Copies what is needed to work for a customer into another shard, while nobody works for it: operations and writes under way, reads,
 * subscriptions, what deduplicates, held messages, deliveries that wait. All of it, or nothing; an earlier copy is replaced.
 */
import type { Client, ClientBase } from "pg";
import { copyFingerprints } from "./copy-fingerprints.ts";
import { copyRows } from "./copy-rows.ts";
import {
  CUSTOMER_TABLES,
  listCustomerTables,
  matchCustomer,
  matchEvents,
  type CustomerTable,
  type MovedCustomer,
} from "./customer-tables.ts";

/** Others refer to it. */
const FIRST = "writes";

const LIVE: CustomerTable[] = [...listCustomerTables("frozen"), ...listCustomerTables("open")].toSorted(
  (one, other) => Number(other.name === FIRST) - Number(one.name === FIRST),
);

const UNDER_WAY = "status = 'in_progress'";

/** Returns the number of rows. */
export async function copyLiveRows(
  { from, to }: { from: Client; to: Client },
  customer: MovedCustomer,
): Promise<number> {
  await from.query("begin isolation level repeatable read read only");
  await to.query("begin");
  try {
    await removeWaiting(to, customer);
    const count = await copyAll(from, to, customer);
    await adoptJournals(from, to, customer);
    await to.query("commit");
    return count;
  } catch (error) {
    await to.query("rollback");
    throw error;
  } finally {
    await from.query("rollback");
  }
}

async function copyAll(from: ClientBase, to: ClientBase, customer: MovedCustomer): Promise<number> {
  const mine = matchCustomer(from, { by: "installation", moves: "frozen" }, customer);
  let count = await copyRows(from, to, { table: "operations", where: `${UNDER_WAY} and ${mine}` });
  count += await copyFingerprints(from, to, customer);
  for (const { name, numbered, ...table } of LIVE)
    count += await copyRows(from, to, {
      table: name,
      where: matchCustomer(from, table, customer),
      ...(numbered !== undefined && { numbered, orderBy: numbered }),
    });
  for await (const ids of pageLiveEvents(from, customer)) {
    const list = from.escapeLiteral(`{${ids.join()}}`);
    count += await copyRows(from, to, { table: "events", where: `id = any(${list}::uuid[])` });
    for (const table of ["event_topics", "deliveries"])
      count += await copyRows(from, to, { table, where: `event_id = any(${list}::uuid[])` });
  }
  return count;
}

const BATCH = 1_000;

/** Lists the events that are held, or have deliveries that wait, in batches. They are those at its beginning. */
async function* pageLiveEvents(client: ClientBase, customer: MovedCustomer): AsyncGenerator<string[]> {
  const mine = matchCustomer(client, { by: "installation", moves: "frozen" }, customer);
  await client.query(`declare live_events no scroll cursor with hold for
    select event_id as id from held_messages where ${mine}
    union select event_id from deliveries join events on events.id = event_id
      where state = 'waiting' and deliveries.destination_id in (
        select id from destinations where project_id = ${client.escapeLiteral(customer.projectId)}::uuid)
        and ${matchEvents(client, customer)}`);
  for (;;) {
    const { rows } = await client.query<{ id: string }>(`fetch ${BATCH} from live_events`);
    if (rows.length === 0) break;
    yield rows.map(({ id }) => id);
  }
  await client.query("close live_events");
}

/** Removes a copy from a shard that has nothing else of the customer. */
export async function removeLiveRows(client: ClientBase, customer: MovedCustomer): Promise<void> {
  await removeWaiting(client, customer);
  await removeAll(client, "ahead", customer);
  // Versions before these were history copied them with the frozen rows.
  await client.query(
    `delete from seen_records where ${matchCustomer(client, CUSTOMER_TABLES.seenRecords, customer)}`,
  );
}

/** Removes a copy but for what is copied ahead. */
async function removeWaiting(client: ClientBase, customer: MovedCustomer): Promise<void> {
  for await (const ids of pageLiveEvents(client, customer))
    for (const [table, key] of [
      ["deliveries", "event_id"],
      ["events", "id"],
    ])
      await client.query(`delete from ${table} where ${key} = any($1::uuid[])`, [ids]);
  await removeUnderWay(client, customer);
  await removeAll(client, "open", customer);
}

/** Removes what nobody has changed since it was copied. Operations come first: reads that go before them would end them. */
export async function removeFrozenRows(client: ClientBase, customer: MovedCustomer): Promise<void> {
  await removeUnderWay(client, customer);
  await removeAll(client, "ahead", customer);
}

async function removeUnderWay(client: ClientBase, customer: MovedCustomer): Promise<void> {
  const mine = matchCustomer(client, { by: "installation", moves: "frozen" }, customer);
  await client.query(`delete from operations where ${UNDER_WAY} and ${mine}`);
  await removeAll(client, "frozen", customer);
}

async function removeAll(
  client: ClientBase,
  moves: CustomerTable["moves"],
  customer: MovedCustomer,
): Promise<void> {
  for (const { name, ...table } of listCustomerTables(moves))
    await client.query(`delete from ${name} where ${matchCustomer(client, table, customer)}`);
}

/** How much longer than the journal was heard the changes are looked for: as long as a transaction of the provider may take. */
const OVERLAP = "interval '5 minutes'";
const REASON = "The customer was moved to another shard, which reads the journal by itself.";

/**
 * Each shard reads the journal of a provider app by itself. One that does not yet begins where the former shard was; the position of
 * one that does may be behind or ahead, so the changes since then are looked for.
 */
async function adoptJournals(from: ClientBase, to: ClientBase, customer: MovedCustomer): Promise<void> {
  const mine = matchCustomer(from, { by: "installation", moves: "frozen" }, customer);
  const { rows } = await from.query<{ id: string; heard: Date | null }>(
    `select id, heard_time as heard from event_streams where provider_app_id in (
       select journal_app_id from subscriptions where source = 'journal' and ${mine})`,
  );
  for (const { id, heard } of rows) {
    await copyRows(from, to, { table: "event_streams", where: `id = ${from.escapeLiteral(id)}::uuid` });
    // What is selected in it, and who reads it, is known to the former shard only.
    await to.query(
      `update event_streams set claimed_by = null, state = 'closed', retry_time = null, selected = '{}'
       where id = $1 and xmin::text = pg_current_xact_id()::xid::text`,
      [id],
    );
    await to.query(
      `update subscriptions set due_time = now(), retry_time = null,
         state = case when state in ('active', 'degraded') then 'pending' else state end,
         reconcile_reason = case when reconcile_since <= since then reconcile_reason else $3 end,
         reconcile_since = least(reconcile_since, since)
       from (select greatest(create_time, coalesce($2::timestamptz, create_time) - ${OVERLAP}) as since, id as subscription_id
         from subscriptions) as known
       where known.subscription_id = subscriptions.id and source = 'journal' and journal_app_id = $1 and state <> 'disabled' and ${mine}`,
      [id, heard, REASON],
    );
  }
}
