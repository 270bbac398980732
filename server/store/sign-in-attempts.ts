/** Sign-ins that began at the issuer: what the browser that began must bring back, as digests. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

export async function insertSignInAttempt(
  queries: Queries,
  attempt: { stateHash: Buffer; browserHash: Buffer; returnTo: string; expireTime: Date },
): Promise<void> {
  await queries.insertInto("signInAttempts").values(attempt).execute();
}

/** Removes an open attempt of this browser and returns where it leads; undefined if there is none. */
export async function takeSignInAttempt(
  queries: Queries,
  { stateHash, browserHash }: { stateHash: Buffer; browserHash: Buffer },
): Promise<string | undefined> {
  const row = await queries
    .deleteFrom("signInAttempts")
    .where("stateHash", "=", stateHash)
    .where("browserHash", "=", browserHash)
    .where("expireTime", ">", sql<Date>`now()`)
    .returning("returnTo")
    .executeTakeFirst();
  return row?.returnTo;
}

/** Returns the number of removed rows. */
export async function removeExpiredSignInAttempts(queries: Queries, most: number): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom("signInAttempts")
    .where("stateHash", "in", (inner) =>
      inner
        .selectFrom("signInAttempts")
        .select("stateHash")
        .where("expireTime", "<", sql<Date>`now()`)
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
