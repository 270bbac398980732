/**
 * Moves the rest of a customer's rows to its new shard, while it is served there: what has ended, and what was added in the former shard
 * late. Each batch is inserted before it is removed, so after a crash it is moved again, which changes nothing.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ClientBase } from "pg";
import { nowMs } from "../../../ground/clock.ts";
import { buildFirstId, FIRST_ID } from "../../../ground/ids.ts";
import { listUnderWay } from "./await-quiet.ts";
import { copyRows, insertLines } from "./copy-rows.ts";
import {
  listCustomerTables,
  matchCustomer,
  matchEvents,
  type CustomerTable,
  type MovedCustomer,
} from "./customer-tables.ts";
import { removeFrozenRows } from "./copy-live-rows.ts";

interface Carrying {
  from: ClientBase;
  to: ClientBase;
  customer: MovedCustomer;
  /** The same for all calls of a move. */
  events: UnseenEvents;
  /** Called after each batch with the number of its rows. */
  onRows(count: number): void;
}

const AGAIN_MS = 200;

/** Carries over until nothing is left, and nothing is under way. `find` finds the customer, who may get installations. */
export async function carryRest(
  carrying: Omit<Carrying, "customer">,
  find: () => Promise<MovedCustomer>,
): Promise<void> {
  for (;;) {
    const customer = await find();
    // Before: what ends meanwhile may have been passed by, and is looked for again.
    const underWay = await listUnderWay(carrying.from, customer);
    if ((await carryHistory({ ...carrying, customer })) > 0) continue;
    if (underWay.length === 0) return;
    await wait(AGAIN_MS);
  }
}

const BATCH = 500;
/** Events examined at once. */
const PAGE = 5_000;

/** Carries over what is there now. Returns the number of rows. */
export async function carryHistory(carrying: Carrying): Promise<number> {
  const { from, customer } = carrying;
  await removeFrozenRows(from, customer);
  let count = await carryTable(carrying, "operations", "id", matchInstallations(carrying));
  count += await carryTable(
    carrying,
    "agent_changes",
    "operation_id",
    matchCustomer(from, { by: "group", moves: "history" }, customer),
  );
  count += await carryTable(carrying, "seen_records", "id", matchInstallations(carrying));
  for (const { name, ...table } of listCustomerTables("open")) {
    const where = matchCustomer(from, table, customer);
    if (table.isCurrent) await from.query(`delete from ${name} where ${where}`);
    else count += await carryTable(carrying, name, undefined, where, table.later);
  }
  await wakeSubscriptions(carrying);
  count += await carryLines(carrying);
  return count + (await carryEvents(carrying));
}

const matchInstallations = ({ from, customer }: Carrying): string =>
  matchCustomer(from, { by: "installation", moves: "history" }, customer);

/** Moves the rows of a table, by batches of its key or of its rows. */
async function carryTable(
  carrying: Carrying,
  table: string,
  key: string | undefined,
  where: string,
  later?: CustomerTable["later"],
): Promise<number> {
  const { from } = carrying;
  const column = key ?? "ctid";
  let count = 0;
  for (;;) {
    const { rows } = await from.query<{ key: string }>(
      `select ${column}::text as key from ${table} where ${where} limit ${BATCH}`,
    );
    if (rows.length === 0) return count;
    const list = from.escapeLiteral(`{${rows.map((row) => `"${row.key}"`).join()}}`);
    const type = key === undefined ? "tid" : "uuid";
    // The place of a row that was changed or removed meanwhile may have got a row of another customer.
    const one = { table, where: `${column} = any(${list}::${type}[]) and (${where})` };
    await carryBatch(carrying, () => [
      later === undefined ? one : { ...one, key: later.key, laterBy: later.column },
    ]);
    count += rows.length;
  }
}

interface Selected {
  table: string;
  where: string;
  key?: string;
  laterBy?: string;
}

const MAX_TRIES = 5;

/** Chooses rows within the transaction that moves them. */
type Choose = () => Selected[] | Promise<Selected[]>;

/** Moves rows, those of each table before those of the next, in one transaction of each database. */
async function carryBatch(carrying: Carrying, choose: Choose): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await carryOnce(carrying, choose);
    } catch (error) {
      // Somebody has changed one of the rows meanwhile, as retention does.
      const isLost = error instanceof Error && "code" in error && error.code === "40001";
      if (!isLost || tries === MAX_TRIES) throw error;
    }
  }
}

async function carryOnce({ from, to, onRows }: Carrying, choose: Choose): Promise<void> {
  let count = 0;
  await within(from, "isolation level repeatable read", async () => {
    const selected = await choose();
    await within(to, "", async () => {
      for (const one of selected) count += await copyRows(from, to, one);
    });
    for (const { table, where } of selected.toReversed())
      await from.query(`delete from ${table} where ${where}`);
  });
  onRows(count);
}

async function within(client: ClientBase, how: string, run: () => Promise<void>): Promise<void> {
  await client.query(`begin ${how}`);
  try {
    await run();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Events that were stored in the former shard late wait in the new one. */
const wakeSubscriptions = async ({ to, customer }: Carrying): Promise<void> =>
  void (await to.query(
    `update subscriptions set due_time = least(due_time, now())
     where ${matchCustomer(to, { by: "installation", moves: "history" }, customer)} and claimed_by is null and exists (
       select from subscription_events where subscription_events.installation_id = subscriptions.installation_id
         and subscription_events.object_name = subscriptions.object_name and outcome is null)`,
  ));

/**
 * Moves lines of proxied calls, which get other numbers. The numbers that they had are stored with them until they are removed, so that
 * none is moved twice.
 */
async function carryLines({ from, to, customer, onRows }: Carrying): Promise<number> {
  const mine = matchCustomer(from, { by: "installation", moves: "history" }, customer);
  let count = 0;
  for (;;) {
    const { rows: known } = await to.query<{ lines: string[] }>(
      "select lines::text[] as lines from moving_customers where group_id = $1",
      [customer.groupId],
    );
    const done = known[0]?.lines ?? [];
    if (done.length > 0)
      await from.query(`delete from proxy_usage where id = any($1::bigint[]) and ${mine}`, [done]);
    const { rows } = await from.query<{ id: string; line: string }>(
      `select id::text, row_to_json(entry)::text as line from proxy_usage as entry where ${mine} order by id limit ${BATCH}`,
    );
    await within(to, "", async () => {
      await insertLines(
        to,
        { table: "proxy_usage", numbered: "id" },
        rows.map(({ line }) => line),
      );
      await to.query("update moving_customers set lines = $2::bigint[] where group_id = $1", [
        customer.groupId,
        rows.map(({ id }) => id),
      ]);
    });
    if (rows.length === 0) return count;
    count += rows.length;
    onRows(rows.length);
  }
}

/** Not yet routed, or being delivered: left for the former shard, and looked for again. */
const UNDER_WAY = `(
  exists (select from unrouted_events where event_id = events.id)
  or exists (select from delivery_batches where events.id = any(event_ids))
  or exists (select from deliveries where event_id = events.id and state = 'sending' and deliveries.destination_id in (
    select id from destinations where destinations.project_id = events.project_id)))`;

/** Which events of a move have not been looked at, or were under way. All of a shard are looked at once: there may be many, of anybody. */
export class UnseenEvents {
  #after = FIRST_ID;
  #left: string[] = [];

  /** Lists the customer's events that have ended, in pages. Those that are left are looked at again by the next call. */
  async *pageEnded(client: ClientBase, customer: MovedCustomer): AsyncGenerator<string[]> {
    const nextAfter = buildFirstId(nowMs() - STORED_WITHIN_MS);
    const former = this.#left;
    this.#left = [];
    const find = async (page: string): Promise<{ last: string | null; ended: string[] }> => {
      const { rows } = await client.query<{ last: string | null; ended: string[]; left: string[] }>(
        `with page as materialized (${page}),
           mine as materialized (select events.id, ${UNDER_WAY} as is_left from page join events using (id) where ${matchEvents(client, customer)})
         select (select id from page order by id desc limit 1) as last,
           array(select id::text from mine where not is_left) as ended, array(select id::text from mine where is_left) as left`,
      );
      this.leave(rows[0]?.left ?? []);
      return rows[0] ?? { last: null, ended: [] };
    };
    yield (
      await find(
        `select id from events where id <= ${client.escapeLiteral(this.#after)}::uuid
           and id = any(${client.escapeLiteral(`{${former.join()}}`)}::uuid[])`,
      )
    ).ended;
    for (let after = this.#after; ;) {
      const { last, ended } = await find(
        `select id from events where id > ${client.escapeLiteral(after)}::uuid order by id limit ${PAGE}`,
      );
      yield ended;
      if (last === null) break;
      after = last;
    }
    this.#after = nextAfter;
  }

  /** The next call looks at these again. */
  leave(ids: string[]): void {
    this.#left.push(...ids);
  }
}

/** How long after the time of its id an event is stored at most. */
const STORED_WITHIN_MS = 3_600_000;

async function carryEvents(carrying: Carrying): Promise<number> {
  const { from, customer, events } = carrying;
  let count = 0;
  for await (const ids of events.pageEnded(from, customer)) {
    for (let begin = 0; begin < ids.length; begin += BATCH)
      await carrySomeEvents(carrying, ids.slice(begin, begin + BATCH));
    count += ids.length;
  }
  return count;
}

async function carrySomeEvents(carrying: Carrying, ids: string[]): Promise<void> {
  const { from, events } = carrying;
  const project = from.escapeLiteral(carrying.customer.projectId);
  const list = (some: string[]) => from.escapeLiteral(`{${some.join()}}`);
  const selectDeliveries = (some: string[]) =>
    `event_id = any(${list(some)}::uuid[]) and destination_id in (select id from destinations where project_id = ${project}::uuid)`;
  await carryBatch(carrying, async () => {
    // A worker may have claimed one since the events were looked at. It claims none that is locked.
    await from.query(`select from deliveries where ${selectDeliveries(ids)} for update`);
    const { rows } = await from.query<{ id: string }>(
      `select id::text from events where id = any(${list(ids)}::uuid[]) and not ${UNDER_WAY}`,
    );
    const ended = rows.map(({ id }) => id);
    events.leave(ids.filter((id) => !ended.includes(id)));
    return [
      { table: "events", where: `id = any(${list(ended)}::uuid[])` },
      { table: "event_topics", where: `event_id = any(${list(ended)}::uuid[])` },
      {
        table: "events_nowhere",
        where: `project_id = ${project}::uuid and event_id = any(${list(ended)}::uuid[])`,
      },
      { table: "deliveries", where: selectDeliveries(ended) },
    ];
  });
}
