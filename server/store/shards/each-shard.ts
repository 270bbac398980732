/** Finds the shard of a customer, and does in each shard what concerns the customers of all. */
import { sql } from "kysely";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { isDatabaseAway } from "../database/database-outage.ts";
import type { Database } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";

/** Returns the shard of this name; null is the main one. Throws a 503 Problem for one that this process does not know. */
export function getShard({ shards }: Pick<Database, "shards">, name: string | null): Database {
  const found = name === null ? shards[0] : shards.find(({ shard }) => shard === name);
  if (found) return found;
  throw refuseUnknownShard(name ?? "");
}

export const refuseUnknownShard = (name: string): Problem =>
  new Problem("unavailable", {
    detail: `The customer's data are in the shard \`${name}\`, which this process does not know. Try again in a few seconds.`,
  });

const MOVED_IN_MS = 2_000;

/** Refuses what came while a customer is moved; `cause` is the database's refusal, if it has noticed. */
export const refuseMoving = (cause?: unknown): Problem =>
  new Problem("unavailable", {
    detail: "The customer is being moved to another shard. Nothing was done; try again in a few seconds.",
    retryAfter: new Date(nowMs() + MOVED_IN_MS),
    ...(cause !== undefined && { cause }),
  });

/** SQLSTATE of `guard_customer`. */
const MOVING = "BB001";

/** Returns whether the database of a shard has refused a row, because its customer is being moved. */
export const isCustomerMoving = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === MOVING;

/** Returns whether a shard cannot be asked at the moment. */
export const isShardAway = (data: DataQueries): Promise<boolean> =>
  sql`select 1`.execute(data).then(
    () => false,
    (error: unknown) => {
      if (isDatabaseAway(error)) return true;
      throw error;
    },
  );

/**
 * Removes up to `max` rows of all shards together, and returns their number. One that is away holds up no other; its error is thrown
 * afterwards.
 */
export async function removeInShards(
  { shards }: { shards: readonly Pick<Database, "data">[] },
  max: number,
  remove: (data: DataQueries, max: number) => Promise<number>,
): Promise<number> {
  let removed = 0;
  const errors: unknown[] = [];
  for (const { data } of shards) {
    if (removed >= max) break;
    try {
      removed += await remove(data, max - removed);
    } catch (error) {
      errors.push(error);
    }
  }
  // Whoever gets all that it asked for asks again.
  if (errors.length > 0 && removed < max) throw errors[0];
  return removed;
}
