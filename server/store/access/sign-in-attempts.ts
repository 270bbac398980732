/** Sign-ins that began at the issuer: what the browser that began must bring back, as digests. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

/** Nobody has to be known to begin a sign-in, so their number is limited: this many are 20 MB. */
const MAX_OPEN = 100_000;

/** Returns false, and stores nothing, while too many sign-ins are open. */
export async function insertSignInAttempt(
  queries: ControlQueries,
  {
    stateHash,
    browserHash,
    returnTo,
    expireTime,
  }: {
    stateHash: Buffer;
    browserHash: Buffer;
    returnTo: string;
    expireTime: Date;
  },
  maxOpen = MAX_OPEN,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into sign_in_attempts (state_hash, browser_hash, return_to, expire_time)
    select ${stateHash}::bytea, ${browserHash}::bytea, ${returnTo}, ${expireTime}::timestamptz
    where (select count(*) from (select from sign_in_attempts limit ${maxOpen}) as open) < ${maxOpen}
  `.execute(queries);
  return numAffectedRows > 0n;
}

/** Removes an open attempt of this browser and returns where it leads; undefined if there is none. */
export async function takeSignInAttempt(
  queries: ControlQueries,
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
export async function removeExpiredSignInAttempts(queries: ControlQueries, max: number): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom("signInAttempts")
    .where("stateHash", "in", (inner) =>
      inner
        .selectFrom("signInAttempts")
        .select("stateHash")
        .where("expireTime", "<", sql<Date>`now()`)
        .limit(max),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
