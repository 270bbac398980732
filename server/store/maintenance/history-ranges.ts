/**
 * Partitions of history by time: makes those that are needed soon, and drops those that are too old.
 *
 * Where a day has many rows, a partition holds one day and is dropped whole, up to a day after its first row is too old. Otherwise
 * it holds 30 days, because statements cost more with each partition, and its rows are removed one by one.
 */
import { sql } from "kysely";
import { nowMs } from "../../../ground/clock.ts";
import type { DataQueries } from "../database/sides.ts";

/** A partitioned table. */
type History = "proxy_usage";

const DAY_MS = 24 * 60 * 60_000;
/** How far ahead partitions are created, and so how long background work may stand still. */
const AHEAD_DAYS = 3;
const LONG_DAYS = 30;
/** Size of a day's rows, with their indexes, from which partitions hold one day. */
const LARGE_DAY_BYTES = 64 * 1024 * 1024;

/** Rows between two times. A span without a name has no partition of its own: its rows are in the default one. */
interface Span {
  name?: string;
  /** Beginning, inclusive; absent before the first partition. */
  fromMs?: number;
  untilMs: number;
}

/** Bounds of rows to remove, in PostgreSQL's format of times. */
interface SpanBounds {
  from: string;
  until: string;
}

/**
 * Creates the partitions of the next days, drops those that are older than `before`, and calls `removeRows` for old rows of the
 * others until `max` rows are removed; returns their number. Without the right to change partitions, all rows are removed one
 * by one.
 */
export async function removeHistory(
  queries: DataQueries,
  { history, before, max }: { history: History; before: Date; max: number },
  removeRows: (bounds: SpanBounds, max: number) => Promise<number>,
): Promise<number> {
  const mayChange = await mayChangeRanges(queries);
  if (mayChange) await extendHistory(queries, history);
  const beforeMs = before.getTime();
  let removed = 0;
  for (const span of await listSpans(queries, history)) {
    if (span.fromMs !== undefined && span.fromMs >= beforeMs) break;
    const isWhole = mayChange && span.name !== undefined;
    const isOld = span.untilMs <= beforeMs;
    if (isWhole && isOld && (await dropRange(queries, history, span.name ?? ""))) continue;
    // Another transaction's statement kept the lock; a backup may do so for hours.
    const isLate = span.untilMs <= beforeMs - DAY_MS;
    if (isWhole && isOneDay(span) && !isLate) continue;
    removed += await removeRows(
      { from: toBound(span.fromMs), until: toBound(Math.min(span.untilMs, beforeMs)) },
      max - removed,
    );
    if (removed >= max) break;
  }
  return removed;
}

const isOneDay = ({ fromMs, untilMs }: Span): boolean => fromMs !== undefined && untilMs - fromMs <= DAY_MS;

const toBound = (ms: number | undefined): string =>
  ms === undefined ? "-infinity" : new Date(ms).toISOString();

/** Creates partitions until those of the next days exist. Other processes may do the same at once. */
export async function extendHistory(queries: DataQueries, history: History): Promise<void> {
  const aheadMs = nowMs() + AHEAD_DAYS * DAY_MS;
  const spans = await listSpans(queries, history);
  let fromMs = Math.max(spans.at(-1)?.untilMs ?? 0, startOfDay(nowMs()));
  if (fromMs > aheadMs) return;
  const days = (await measureDay(queries, history)) < LARGE_DAY_BYTES ? LONG_DAYS : 1;
  while (fromMs <= aheadMs) {
    const untilMs = fromMs + days * DAY_MS;
    // If a partition was not made in time, rows are in the default one. They stay there; the next partition begins after them.
    const isFree = !(await hasRows(queries, history, { from: toBound(fromMs), until: toBound(untilMs) }));
    if (isFree && !(await addRange(queries, history, [fromMs, untilMs]))) return;
    fromMs += isFree ? untilMs - fromMs : DAY_MS;
  }
}

const startOfDay = (ms: number): number => ms - (ms % DAY_MS);

/** Lists the partitions in the order of time, with the times between and before them. */
async function listSpans(queries: DataQueries, history: History): Promise<Span[]> {
  const { rows } = await sql<{ name: string; from: Date | null; until: Date }>`
    select relname as name, substring(bounds from $$FROM [(]'([^']+)'[)]$$)::timestamptz as from,
      substring(bounds from $$TO [(]'([^']+)'[)]$$)::timestamptz as until
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    cross join lateral (select pg_get_expr(relpartbound, inhrelid) as bounds) as shown
    where inhparent = ${history}::regclass and bounds <> 'DEFAULT'
    order by until
  `.execute(queries);
  const spans: Span[] = [];
  for (const { name, from, until } of rows) {
    const [fromMs, last] = [from?.getTime(), spans.at(-1)?.untilMs];
    if (fromMs !== undefined && fromMs !== last)
      spans.push({ ...(last !== undefined && { fromMs: last }), untilMs: fromMs });
    spans.push({ name, ...(fromMs !== undefined && { fromMs }), untilMs: until.getTime() });
  }
  return spans;
}

/** Returns the size of a day's rows in bytes, on average over all kept rows. */
async function measureDay(queries: DataQueries, history: History): Promise<number> {
  const { rows } = await sql<{ bytes: string; oldest: Date | null }>`
    select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = ${history}::regclass) as bytes,
      (select time from ${sql.table(history)} order by id limit 1) as oldest
  `.execute(queries);
  const days = (nowMs() - (rows[0]?.oldest?.getTime() ?? nowMs())) / DAY_MS;
  return Number(rows[0]?.bytes ?? 0) / Math.max(1, days);
}

async function hasRows(
  queries: DataQueries,
  history: History,
  { from, until }: SpanBounds,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(history)} where time >= ${from}::timestamptz and time < ${until}::timestamptz limit 1
  `.execute(queries);
  return rows.length > 0;
}

/** Returns whether the role may change partitions; a role that only serves gets the right by `busbar migrate --grant`. */
async function mayChangeRanges(queries: DataQueries): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_function_privilege('add_history_range(text, timestamptz, timestamptz)', 'execute')
      and has_function_privilege('drop_history_range(text, text)', 'execute') as may
  `.execute(queries);
  return rows[0]?.may ?? false;
}

const addRange = async (queries: DataQueries, history: History, [from, until]: [number, number]) => {
  const { rows } = await sql<{ done: boolean }>`
    select add_history_range(${history}, ${toBound(from)}, ${toBound(until)}) as done
  `.execute(queries);
  return rows[0]?.done ?? false;
};

const dropRange = async (queries: DataQueries, history: History, name: string): Promise<boolean> => {
  const { rows } = await sql<{ done: boolean }>`
    select drop_history_range(${history}, ${name}) as done
  `.execute(queries);
  return rows[0]?.done ?? false;
};
