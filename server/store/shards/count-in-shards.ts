/** Counts activity over several databases: percentiles cannot be merged, so they are computed from counts by duration. */
import type { Database } from "../database/database.ts";
import {
  countActivity,
  countDurations,
  findOldestCounted,
  MAX_KEYS,
  type Activity,
  type ActivityRow,
  type Counted,
  type DurationRow,
  type Question,
} from "../operations/count-activity.ts";
import { askPresent } from "./ask-shards.ts";

/** Values of a dimension that a shard tells apart. One that is frequent in all together is hardly beyond them in a shard. */
const KEYS_OF_SHARD = 20 * MAX_KEYS;

/** Returns the counts of all shards together, without those that are away. */
export async function countInShards(
  database: Pick<Database, "shards" | "data">,
  of: Counted,
  question: Question,
): Promise<Activity & { unavailable: string[] }> {
  if (database.shards.length === 1)
    return { ...(await countActivity(database.data, of, question)), unavailable: [] };
  const oldest = await askPresent(database, (data) => findOldestCounted(data, of, question));
  const countedSince = oldest.answers
    .flatMap((time) => time ?? [])
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(-1);
  const { answers, unavailable } = await askPresent(database, (data) =>
    countDurations(data, of, question, { countedSince, maxKeys: KEYS_OF_SHARD }),
  );
  return { rows: sumUp(answers.flat()), ...(countedSince && { countedSince }), unavailable };
}

/** Sums counts up by bucket and key, the most frequent first. */
export function sumUp(counted: DurationRow[]): ActivityRow[] {
  const totals = new Map<string, number>();
  for (const { bucket, key, count } of counted)
    if (bucket === null && key !== null) totals.set(key, (totals.get(key) ?? 0) + count);
  const frequent = new Set(
    [...totals]
      .toSorted(([name, count], [otherName, other]) => other - count || (name < otherName ? -1 : 1))
      .slice(0, MAX_KEYS)
      .map(([key]) => key),
  );
  const keyed = counted.map((row) => ({ ...row, key: frequent.has(row.key ?? "") ? row.key : null }));
  const groups = Map.groupBy(keyed, ({ bucket, key }) => JSON.stringify([bucket, key]));
  return [...groups.values()]
    .flatMap((rows) => {
      const [first] = rows;
      if (!first) return [];
      const { bucket, key } = first;
      const sum = (name: "count" | "failed") => rows.reduce((total, row) => total + row[name], 0);
      const percentiles = { p50Ms: findPercentile(rows, 0.5), p95Ms: findPercentile(rows, 0.95) };
      return [{ bucket, key, count: sum("count"), failed: sum("failed"), ...percentiles }];
    })
    .toSorted(
      (one, other) => other.count - one.count || ((one.key ?? "\uffff") < (other.key ?? "\uffff") ? -1 : 1),
    );
}

/** Returns the lowest duration that this part of the rows with a duration does not exceed; null without such rows. */
function findPercentile(rows: DurationRow[], part: number): number | null {
  const timed = rows
    .flatMap(({ ms, count }) => (ms === null ? [] : [{ ms, count }]))
    .toSorted((one, other) => one.ms - other.ms);
  const all = timed.reduce((total, { count }) => total + count, 0);
  let passed = 0;
  return timed.find(({ count }) => (passed += count) >= part * all)?.ms ?? null;
}
