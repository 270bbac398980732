/**
 * The outbox: what a change of control tables is to cause in data tables. While one database has both, it is stored in the commit of
 * the change. Otherwise it is a row that is committed with the change:
 *
 *   committed    → carried over   at once, by the process that has committed it, before its request is answered; after a crash by
 *                                 the next process that looks
 *   carried over → removed        in a commit of its own; after a crash it is carried over again, which changes nothing
 *
 * Rows are carried over in the order of their positions, by one process at a time: it locks them until they are removed.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { outsideWork } from "../../../ground/current-work.ts";
import type { Log } from "../../../ground/log.ts";
import { READ_POSITION, type Copies } from "../sides/copies.ts";
import { isDatabaseAway } from "./database-outage.ts";
import { storeEntries, type OutboxEntry, type StoredEntry } from "./outbox-entries.ts";
import { repeatTransaction } from "./repeat-transaction.ts";
import type { ControlQueries, ControlTables, DataQueries, DataTables } from "./sides.ts";

interface OutboxRow extends StoredEntry {
  position: string;
}

/** Transactions that have added rows (`queuing`), and transactions and handles that write both sides (`whole`). */
const queuing = new WeakSet<ControlQueries>();
const whole = new WeakSet<ControlQueries>();
const withData = (queries: ControlQueries) => queries as unknown as DataQueries;

/** Adds entries in the transaction of the change. `transactControl` carries them over after its commit. */
export async function queueOutbox(queries: ControlQueries, entries: OutboxEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const stored = entries.map((entry) => ({ ...entry, content: JSON.stringify(entry.content) }));
  if (whole.has(queries)) return storeEntries(withData(queries), stored);
  queuing.add(queries);
  await sql`
    insert into outbox (project_id, kind, content)
    select project_id, kind, content from unnest(
      ${stored.map(({ projectId }) => projectId)}::uuid[], ${stored.map(({ kind }) => kind)}::text[],
      ${stored.map(({ content }) => content)}::json[]
    ) with ordinality as entry (project_id, kind, content, nth) order by nth
  `.execute(queries);
}

export interface Outbox {
  /** Call it with a transaction before its first statement. If one database has both sides, the transaction stores the effects itself. */
  begin(queries: ControlQueries): void;
  /** Call it after the commit of a transaction: carries its rows over, if it has added any. Never rejects. */
  committed(queries: ControlQueries): Promise<void>;
  /** Carries rows over and returns whether there may be more. Rejects while a side is away. */
  carryOver(): Promise<boolean>;
}

/** Maximum time that a commit waits for its rows to be carried over. A slower data side gets them later. */
const MAX_WAIT_MS = 1_000;
const BATCH = 500;

interface Sides {
  /** Handle for both sides, if one database has them. */
  queries: ControlQueries;
  control: Kysely<ControlTables>;
  data: Kysely<DataTables>;
  log: Log;
  /** Set if the data side has copies of the shared tables. */
  copied?: Copies;
}

export function openOutbox(sides: Sides): Outbox {
  whole.add(sides.queries);
  /** Number of rows to carry over one by one after a batch has failed, to find the row that cannot be carried over. */
  let singly = 0;
  const carryOver = async (): Promise<boolean> => {
    await sides.copied?.removeDependents();
    const max = singly > 0 ? 1 : BATCH;
    singly = Math.max(0, singly - 1);
    let rows: OutboxRow[] = [];
    try {
      rows = await carryBatch(sides, max, (taken) => (rows = taken));
      return rows.length === max;
    } catch (error) {
      const [first] = rows;
      if (error instanceof CopiesAreLate || isDatabaseAway(error) || !first) throw error;
      if (max > 1) singly = rows.length;
      else await postpone(sides, first, error);
      return true;
    }
  };
  const carryAll = () =>
    outsideWork(async () => {
      while (await carryOver());
    });
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  /** Carries rows over, once at a time; callers that come meanwhile share the next run. */
  const runNext = () =>
    (next ??= running.then(() => {
      next = undefined;
      // A worker tries again, and logs why.
      return (running = carryAll().catch(() => {}));
    }));
  return {
    carryOver,
    begin(queries) {
      if (sides.control === sides.queries) whole.add(queries);
    },
    async committed(queries) {
      if (!queuing.has(queries)) return;
      const timer = new AbortController();
      const late = wait(MAX_WAIT_MS, undefined, { signal: timer.signal, ref: false }).catch(() => {});
      await Promise.race([runNext(), late]).finally(() => timer.abort());
    },
  };
}

/** Timeout for a process that stops in the middle of a transaction, which would hold up the others. */
const LIMIT = sql`set_config('idle_in_transaction_session_timeout', '20000', true)`;

/** Begins a batch. The commit that removes rows does not wait for the disk: rows that return after a crash of the server change nothing. */
const BEGIN = sql`
  select ${LIMIT}, set_config('synchronous_commit', 'off', true) where exists (select from outbox)`;

async function carryBatch(
  { control, data, copied }: Sides,
  max: number,
  onTaken: (rows: OutboxRow[]) => void,
): Promise<OutboxRow[]> {
  return control.transaction().execute(async (queries) => {
    if ((await BEGIN.execute(queries)).rows.length === 0) return [];
    const { rows } = await sql<OutboxRow>`
      select position, project_id, kind, content::text as content, create_time from outbox
      where retry_time is null or retry_time <= now()
      order by position limit ${max} for update
    `.execute(queries);
    onTaken(rows);
    if (rows.length === 0) return [];
    if (copied) await requireCopies(queries, copied);
    await repeatTransaction(data, async (inside) => {
      await sql`select ${LIMIT}`.execute(inside);
      await storeEntries(inside, rows);
    });
    const positions = rows.map(({ position }) => position);
    await sql`delete from outbox where position = any(${positions}::bigint[])`.execute(queries);
    return rows;
  });
}

/** Waits until the copies have what the visible rows speak of; throws if they do not get it in time. */
async function requireCopies(queries: ControlQueries, copied: Copies): Promise<void> {
  const { rows } = await sql<{ position: string }>`${sql.raw(READ_POSITION)}`.execute(queries);
  if (!(await copied.applied(rows[0]?.position ?? ""))) throw new CopiesAreLate();
}

class CopiesAreLate extends Error {
  override message = "the copies of shared tables are late, so changes wait for them";
}

/** Postpones a row that cannot be carried over, so that others pass it. It is retried, and never dropped. */
async function postpone({ control, log }: Sides, { position, projectId, kind }: OutboxRow, error: unknown) {
  log.error(
    { projectId, position, kind, err: error },
    "a change cannot be carried over; trying again in a minute",
  );
  await sql`
    update outbox set retry_time = now() + interval '1 minute' where position = ${position}::bigint
  `.execute(control);
}
