/** Finds out whether anybody still works on rows of a customer that is guarded. */
import { setTimeout as wait } from "node:timers/promises";
import type { ClientBase } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { SIDE_LOCKS } from "./customer-moves.ts";
import { matchCustomer, matchEvents, type MovedCustomer } from "./customer-tables.ts";

const ASK_EVERY_MS = 50;

/**
 * Transactions of sessions in this database that are under way, by their virtual ids. Those of commands that move other customers are
 * left out: they change nothing of this one, and may last as long as a copy.
 */
const TRANSACTIONS = `select virtualtransaction || ' of process ' || pid || ' (' || coalesce(nullif(application_name, ''), '?') || ')' as name
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'virtualxid' and mode = 'ExclusiveLock' and pg_locks.granted and datname = current_database()
    and usesysid is not null and pid <> pg_backend_pid()
    and pid not in (
      select pid from pg_locks where locktype = 'advisory' and classid = ${SIDE_LOCKS} and pid is not null and granted)`;

async function listTransactions(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(TRANSACTIONS);
  return rows.map(({ name }) => name);
}

/**
 * Waits until all transactions that are under way now have ended: the later ones see what is committed now. Returns those that had
 * not in time.
 */
export async function awaitTransactions(client: ClientBase, maxMs: number): Promise<string[]> {
  const untilMs = elapsedMs() + maxMs;
  let left = await listTransactions(client);
  while (left.length > 0 && elapsedMs() < untilMs) {
    await wait(ASK_EVERY_MS);
    const present = await listTransactions(client);
    left = left.filter((name) => present.includes(name));
  }
  return left;
}

/** Takes the customer's streams from the processes that hold them: they see it within a second, and store nothing more. */
const takeStreams = async (client: ClientBase, customer: MovedCustomer): Promise<void> =>
  void (await client.query(
    `update event_streams set claimed_by = null, state = 'closed', retry_time = null
     where claimed_by is not null and ${matchCustomer(client, { by: "connection", moves: "frozen" }, customer)}`,
  ));

/** Returns what is under way for the customer, each as a text with its number. */
export async function listUnderWay(client: ClientBase, customer: MovedCustomer): Promise<string[]> {
  const mine = matchCustomer(client, { by: "installation", moves: "frozen" }, customer);
  const isMine = matchEvents(client, customer);
  const { rows } = await client.query<{ what: string; count: string }>(`
    select 'asynchronous writes' as what, count(*) from writes where claimed_by is not null and ${mine}
    union all select 'operations', count(*) from operations
      where claimed_by is not null and status = 'in_progress' and ${mine}
    union all select 'reads', count(*) from read_runs where claimed_by is not null and ${mine}
    union all select 'subscriptions', count(*) from subscriptions where claimed_by is not null and ${mine}
    union all select 'deliveries', count(*) from deliveries join events on events.id = event_id
      where state = 'sending' and claimed_by is not null and ${isMine}
    union all select 'first deliveries', count(*) from delivery_batches, unnest(event_ids) as batched
      join events on events.id = batched where ${isMine}
    union all select 'events', count(*) from unrouted_events join events on events.id = event_id where ${isMine}`);
  return rows.filter(({ count }) => count !== "0").map(({ what, count }) => `${count} ${what}`);
}

/** Waits until nothing is under way. Returns what still is after `maxMs`. */
export async function awaitQuiet(
  client: ClientBase,
  customer: MovedCustomer,
  maxMs: number,
): Promise<string[]> {
  const untilMs = elapsedMs() + maxMs;
  for (;;) {
    await takeStreams(client, customer);
    const left = await listUnderWay(client, customer);
    if (left.length === 0 || elapsedMs() > untilMs) return left;
    await wait(ASK_EVERY_MS);
  }
}
