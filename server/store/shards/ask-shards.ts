/**
 * Asks all shards for rows whose customer is not known, and puts their answers together. With one shard, its answer and its errors
 * are passed on as they are (docs/decisions/0045-shards-by-customer.md).
 */
import { Problem } from "../../../ground/errors.ts";
import { isDatabaseAway } from "../database/database-outage.ts";
import { MAIN_SHARD, type Database } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";

type Shard = Pick<Database, "shard" | "data">;

export interface AskedShards<One extends Shard> {
  shards: readonly One[];
  /**
   * Name of the shard that decides about a customer who moves. The shards are then asked in turn, the former first: a row that goes over
   * meanwhile is found in one of them.
   */
  decides?: string | undefined;
}

/** Returns the answer of each shard. Rejects if one of them does; with a 503 Problem that names a shard that is away. */
export const askShards = <Answer>(
  { shards }: AskedShards<Shard>,
  ask: (data: DataQueries) => Promise<Answer>,
): Promise<Answer[]> =>
  Promise.all(
    shards.map((shard) =>
      ask(shard.data).catch((error: unknown) => {
        throw shards.length > 1 ? nameShard(error, shard) : error;
      }),
    ),
  );

export interface PresentAnswers<Answer> {
  answers: Answer[];
  /** Names of the shards that are away. */
  unavailable: string[];
}

/**
 * Returns the answers of the shards that are not away, in their order. Rejects if one fails for another reason; and if the only
 * database is away.
 */
export async function askPresent<Answer, One extends Shard>(
  { shards, decides }: AskedShards<One>,
  ask: (data: DataQueries, shard: One) => Promise<Answer>,
): Promise<PresentAnswers<Answer>> {
  let before: Promise<unknown> = Promise.resolve();
  const asked = await Promise.allSettled(
    shards.map((shard) => {
      const one = decides === undefined ? ask(shard.data, shard) : before.then(() => ask(shard.data, shard));
      before = one.catch(() => {});
      return one;
    }),
  );
  const answers: Answer[] = [];
  const unavailable: string[] = [];
  for (const [index, { shard: name }] of shards.entries()) {
    const one = asked[index];
    if (one?.status === "fulfilled") answers.push(one.value);
    else if (isDatabaseAway(one?.reason) && (shards.length > 1 || name !== MAIN_SHARD))
      unavailable.push(name);
    else throw one?.reason;
  }
  return { answers, unavailable };
}

export interface FoundInShard<Found, One> {
  row: Found;
  shard: One;
}

/**
 * Returns the row of the first shard that has it. If none has it and one is away, it rejects: the row may be there. Absent is not
 * deleted. A row that moves to another shard may be missed in both, so several shards are asked again.
 */
export const findInShards = async <Found, One extends Shard>(
  deps: AskedShards<One>,
  find: (data: DataQueries) => Promise<Found | undefined>,
): Promise<FoundInShard<Found, One> | undefined> =>
  (await findOnce(deps, find)) ?? (deps.shards.length > 1 ? findOnce(deps, find) : undefined);

async function findOnce<Found, One extends Shard>(
  { shards }: AskedShards<One>,
  find: (data: DataQueries) => Promise<Found | undefined>,
): Promise<FoundInShard<Found, One> | undefined> {
  const asked = shards.map(async (shard) => {
    const row = await find(shard.data);
    if (row === undefined) throw ABSENT;
    return { row, shard };
  });
  try {
    return await Promise.any(asked);
  } catch {
    // All have rejected. The first other reason than absence is told.
    for (const [index, shard] of shards.entries()) {
      const error: unknown = await asked[index]?.catch((reason: unknown) => reason);
      if (error !== ABSENT) throw shards.length > 1 ? nameShard(error, shard) : error;
    }
    return undefined;
  }
}

const ABSENT = Symbol("absent");

/** Rows in the order of a list. `continueBefore`: the list has examined enough rows, and the next page begins there. */
interface MergedPage<Row> {
  rows: Row[];
  continueBefore?: string | undefined;
  /** Names of the shards that are away, whose rows are missing. */
  unavailable?: string[] | undefined;
}

interface MergedList<Row> {
  limit: number;
  getPosition(row: Row): string;
  /** Tells a row that goes over to another shard, where it is in both for a moment. Default: the position. */
  getKey?(row: Row): string;
}

/**
 * Merges the pages of all shards into one of `limit` rows at most. The list is in descending order of positions, which are texts; a
 * position of one shard is valid in all. Where one shard has stopped to examine rows the page ends, also for the others. Of a shard
 * that is away, only the name is returned.
 */
export async function listInShards<Row, One extends Shard>(
  deps: AskedShards<One>,
  list: (data: DataQueries, shard: One) => Promise<Row[] | MergedPage<Row>>,
  { limit, getPosition, getKey = getPosition }: MergedList<Row>,
): Promise<MergedPage<Row>> {
  const { answers, unavailable } = await askPresent(deps, async (data, shard) => {
    const page = await list(data, shard);
    return { shard: shard.shard, ...(Array.isArray(page) ? { rows: page } : page) };
  });
  const [only] = answers;
  if (only && deps.shards.length === 1) {
    const { shard: _, ...page } = only;
    return page;
  }
  const stop = answers
    .flatMap(({ continueBefore }) => continueBefore ?? [])
    .toSorted()
    .at(-1);
  const rows = keepOnce(deps, answers, getKey)
    .map((row) => ({ row, position: getPosition(row) }))
    .filter(({ position }) => stop === undefined || position >= stop)
    .toSorted((one, other) => (one.position > other.position ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row);
  return {
    rows,
    ...(rows.length < limit && stop !== undefined && { continueBefore: stop }),
    ...(unavailable.length > 0 && { unavailable }),
  };
}

/** Returns the rows of all shards: of those with the same key, those of one shard, which is the one that decides if it has any. */
export function keepOnce<Row>(
  { decides }: Pick<AskedShards<Shard>, "decides">,
  found: { shard: string; rows: Row[] }[],
  getKey: (row: Row) => string,
): Row[] {
  const rows = found.flatMap(({ shard, rows: own }) => own.map((row) => ({ row, shard })));
  return [...Map.groupBy(rows, ({ row }) => getKey(row)).values()].flatMap((same) => {
    const { shard } = same.find((one) => one.shard === decides) ?? same[0] ?? {};
    return same.filter((one) => one.shard === shard).map(({ row }) => row);
  });
}

/** Returns a 503 Problem that names the shard, if the error means that its database is away; otherwise the error. */
const nameShard = (error: unknown, { shard: name }: Pick<Shard, "shard">): unknown =>
  isDatabaseAway(error)
    ? new Problem("unavailable", {
        detail: `The database of the shard \`${name}\`, which has some of the customers, is away. Try again when it is back.`,
        cause: error,
      })
    : error;
