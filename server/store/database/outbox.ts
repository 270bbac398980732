/**
 * The outbox: what a change of control tables is to cause in data tables. While one database has both, it is stored in the commit of
 * the change. Otherwise it is a row that is committed with the change:
 *
 *   committed    → carried over   at once, by the process that has committed it, before its request is answered; after a crash by
 *                                 the next process that looks
 *   carried over → removed        in a commit of its own; after a crash it is carried over again, which changes nothing
 *
 * The rows of a shard are carried over in the order of their positions, by one process at a time: it locks them until they are removed.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { runOutsideWork } from "../../../ground/current-work.ts";
import type { Log } from "../../../ground/log.ts";
import type { Copies } from "../sides/copies.ts";
import { isDatabaseAway } from "./database-outage.ts";
import { addAddresses } from "./outbox-addresses.ts";
import { storeEntries, type OutboxEntry, type StoredEntry } from "./outbox-entries.ts";
import { repeatTransaction } from "./repeat-transaction.ts";
import type { ControlQueries, ControlTables, DataQueries, DataTables } from "./sides.ts";

interface OutboxRow extends StoredEntry {
  position: string;
}

/** What a handle or a transaction knows of the data side. */
interface Known {
  /** Whether it writes the tables of both sides, so that effects on the main shard are stored in its commit. */
  isWhole: boolean;
  /** Names of the shards beside the main one. */
  listOthers(): string[];
}

const known = new WeakMap<ControlQueries, Known>();
/** Shards for which a transaction has added rows. */
const queuing = new WeakMap<ControlQueries, Set<string | null>>();
const withData = (queries: ControlQueries) => queries as unknown as DataQueries;

/** Adds entries in the transaction of the change. `transactControl` carries them over after its commit. */
export async function queueOutbox(queries: ControlQueries, entries: OutboxEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { isWhole = false, listOthers } = known.get(queries) ?? {};
  const addressed = await addAddresses(queries, entries, listOthers?.() ?? []);
  const stored = addressed.map(({ entry, shard }) => ({
    ...entry,
    content: JSON.stringify(entry.content),
    shard,
  }));
  const isHere = ({ shard }: { shard: string | null }) => isWhole && shard === null;
  await storeEntries(withData(queries), stored.filter(isHere));
  const sent = stored.filter((entry) => !isHere(entry));
  if (sent.length === 0) return;
  queuing.set(queries, new Set([...(queuing.get(queries) ?? []), ...sent.map(({ shard }) => shard)]));
  await sql`
    insert into outbox (project_id, kind, content, shard)
    select project_id, kind, content, shard from unnest(
      ${sent.map(({ projectId }) => projectId)}::uuid[], ${sent.map(({ kind }) => kind)}::text[],
      ${sent.map(({ content }) => content)}::json[], ${sent.map(({ shard }) => shard)}::text[]
    ) with ordinality as entry (project_id, kind, content, shard, nth) order by nth
  `.execute(queries);
}

/** Shard that rows are carried over to. */
interface OutboxTarget {
  /** Null for the main one. */
  shard: string | null;
  data: Kysely<DataTables>;
  /** Set if it has copies of the shared tables. */
  copied?: Copies | undefined;
}

export interface Outbox {
  /** Call it with a transaction before its first statement. If one database has both sides, the transaction stores the effects itself. */
  begin(queries: ControlQueries): void;
  /** Call it after the commit of a transaction: carries its rows over, if it has added any. Never rejects. */
  committed(queries: ControlQueries): Promise<void>;
  /** Carries rows over and returns whether there may be more. Rejects while a side is away, after it has carried over what is for others. */
  carryOver(): Promise<boolean>;
  /** Adds a shard beside the main one. */
  add(target: OutboxTarget & { shard: string }): void;
  /** Forgets a shard. */
  remove(shard: string): void;
}

/** Maximum time that a commit waits for its rows to be carried over. A slower data side gets them later. */
const MAX_WAIT_MS = 1_000;
const BATCH = 500;

interface Sides {
  /** Handle for both sides, if one database has them. */
  queries: ControlQueries;
  control: Kysely<ControlTables>;
  /** The main shard. */
  data: Kysely<DataTables>;
  log: Log;
  copied?: Copies;
}

type Carrying = OutboxTarget & Pick<Sides, "control" | "log">;

export function openOutbox({ queries: both, control, data, log, copied }: Sides): Outbox {
  const carriers = new Map([
    [null as string | null, openCarrier({ shard: null, data, copied, control, log })],
  ]);
  const listOthers = () => [...carriers.keys()].filter((shard) => shard !== null);
  known.set(control, { isWhole: false, listOthers });
  known.set(both, { isWhole: true, listOthers });
  return {
    add: (target) => void carriers.set(target.shard, openCarrier({ ...target, control, log })),
    remove: (shard) => void carriers.delete(shard),
    async carryOver() {
      const carried = await Promise.allSettled([...carriers.values()].map((carrier) => carrier.carryOver()));
      for (const one of carried) if (one.status === "rejected") throw one.reason;
      return carried.some((one) => one.status === "fulfilled" && one.value);
    },
    begin: (queries) => void known.set(queries, { isWhole: control === both, listOthers }),
    async committed(queries) {
      const shards = queuing.get(queries);
      if (!shards) return;
      const timer = new AbortController();
      const late = wait(MAX_WAIT_MS, undefined, { signal: timer.signal, ref: false }).catch(() => {});
      const all = Promise.all([...shards].map((shard) => carriers.get(shard)?.runNext()));
      await Promise.race([all, late]).finally(() => timer.abort());
    },
  };
}

/** Returns what carries rows over to one shard. Each shard has its own, so that none waits for another one that is away. */
function openCarrier(carrying: Carrying): Pick<Outbox, "carryOver"> & { runNext(): Promise<unknown> } {
  /** Number of rows to carry over one by one after a batch has failed, to find the row that cannot be carried over. */
  let singly = 0;
  const carryOver = async (): Promise<boolean> => {
    await carrying.copied?.removeDependents();
    const max = singly > 0 ? 1 : BATCH;
    singly = Math.max(0, singly - 1);
    let rows: OutboxRow[] = [];
    try {
      return (await carryBatch(carrying, max, (taken) => (rows = taken))) === max;
    } catch (error) {
      const [first] = rows;
      if (error instanceof CopiesAreLate || isDatabaseAway(error) || !first) throw error;
      if (max > 1) singly = rows.length;
      else await postpone(carrying, first, error);
      return true;
    }
  };
  const carryAll = () =>
    runOutsideWork(async () => {
      while (await carryOver());
    });
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  return {
    carryOver,
    /** Carries rows over, once at a time; callers that come meanwhile share the next run. */
    runNext: () =>
      (next ??= running.then(() => {
        next = undefined;
        // A worker tries again, and logs why.
        return (running = carryAll().catch(() => {}));
      })),
  };
}

/** Timeout for a process that stops in the middle of a transaction, which would hold up the others. */
const LIMIT = sql`set_config('idle_in_transaction_session_timeout', '20000', true)`;

/** Begins a batch. The commit that removes rows does not wait for the disk: rows that return after a crash of the server change nothing. */
const BEGIN = sql`
  select ${LIMIT}, set_config('synchronous_commit', 'off', true) where exists (select from outbox)`;

/** Carries rows over, and returns how many were due: another process may have taken some of them since. */
async function carryBatch(
  { control, data, copied, shard }: Carrying,
  max: number,
  onTaken: (rows: OutboxRow[]) => void,
): Promise<number> {
  return control.transaction().execute(async (queries) => {
    if ((await BEGIN.execute(queries)).rows.length === 0) return 0;
    const seen = await findOldest(queries, shard, max);
    const { rows } = await sql<OutboxRow>`
      select position, project_id, kind, content::text as content, create_time from outbox
      where position = any(${seen.positions}::bigint[]) order by position for update
    `.execute(queries);
    onTaken(rows);
    if (rows.length === 0) return seen.positions.length;
    if (copied && !(await copied.applied(seen.committedUntil))) throw new CopiesAreLate();
    await repeatTransaction(data, async (inside) => {
      await sql`select ${LIMIT}`.execute(inside);
      await storeEntries(inside, rows);
    });
    const positions = rows.map(({ position }) => position);
    await sql`delete from outbox where position = any(${positions}::bigint[])`.execute(queries);
    return seen.positions.length;
  });
}

/**
 * Finds the oldest rows that are due, and a place in the log of commits behind those that added them. It is read before the rows are
 * locked: replication sends only what is flushed, and on a quiet server nobody flushes what a lock writes to the log.
 */
async function findOldest(
  queries: ControlQueries,
  shard: string | null,
  max: number,
): Promise<{ positions: string[]; committedUntil: string }> {
  const { rows } = await sql<{ positions: string[]; committedUntil: string }>`
    select pg_current_wal_insert_lsn()::text as committed_until, array(
      select position::text from outbox
      where shard is not distinct from ${shard} and (retry_time is null or retry_time <= now())
      order by position limit ${max}) as positions
  `.execute(queries);
  return rows[0] ?? { positions: [], committedUntil: "" };
}

class CopiesAreLate extends Error {
  override message = "the copies of shared tables are late, so changes wait for them";
}

/** Postpones a row that cannot be carried over, so that others pass it. It is retried, and never dropped. */
async function postpone(
  { control, log }: Carrying,
  { position, projectId, kind }: OutboxRow,
  error: unknown,
) {
  log.error(
    { projectId, position, kind, err: error },
    "a change cannot be carried over; trying again in a minute",
  );
  await sql`
    update outbox set retry_time = now() + interval '1 minute' where position = ${position}::bigint
  `.execute(control);
}
