/** Started sign-ins: digests of what the same browser must bring back from the issuer. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { removeRows } from "../database/remove-rows.ts";

/** Maximum number of open sign-ins, which anybody can start: this many take 20 MB. */
const MAX_OPEN = 100_000;

/** Inserts an attempt. Returns false, and inserts nothing, while too many are open. */
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

/** Removes an open attempt of this browser and returns the page to continue at; undefined if there is none. */
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

/** Removes up to `max` expired attempts, and returns their number. */
export const removeExpiredSignInAttempts = (queries: ControlQueries, max: number): Promise<number> =>
  removeRows(queries, "sign_in_attempts", sql`expire_time < now()`, max, "state_hash");
