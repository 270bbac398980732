/** Sessions of customers who connect in several steps on Busbar's pages. */
import { sql } from "kysely";
import type { ProviderMetadata } from "./connections.ts";
import type { ControlQueries } from "../database/sides.ts";
import { removeRows } from "../database/remove-rows.ts";

export interface CustomAuthSession {
  id: string;
  projectId: string;
  provider: string;
  providerAppId: string | null;
  groupRef: string;
  groupName: string | null;
  consumerRef: string;
  consumerName: string | null;
  providerMetadata: ProviderMetadata;
  step: number;
  progressSealed: string;
  /** First session of the customer's flow; its cookie serves the later ones, too. */
  flowId: string;
  /** Digest of the cookie of the browser that continued to the provider. */
  browserHash: Buffer | null;
  /** Origin of the page that requested the session, if a browser sent it. */
  origin: string | null;
}

export interface TakenCustomAuthSession extends CustomAuthSession {
  /** Time at which a browser continued to the provider. */
  leaveTime: Date | null;
}

/** Session with what the pages show. */
export interface ShownCustomAuthSession extends CustomAuthSession {
  appName: string;
  expireTime: Date;
}

export async function insertCustomAuthSession(
  queries: ControlQueries,
  session: CustomAuthSession & { hash: Buffer; beginHash: Buffer; expireTime: Date },
): Promise<void> {
  await queries
    .insertInto("customAuthSessions")
    .values({ ...session, providerMetadata: JSON.stringify(session.providerMetadata) })
    .execute();
}

/**
 * Ends the session with this digest and returns it. `asker` restricts it to one customer's sessions, so that a customer cannot
 * end the session of another.
 */
export async function takeCustomAuthSession(
  queries: ControlQueries,
  projectId: string,
  hash: Buffer,
  asker: { groupRef?: string; consumerRef?: string },
): Promise<TakenCustomAuthSession | undefined> {
  let query = queries
    .deleteFrom("customAuthSessions")
    .where("projectId", "=", projectId)
    .where("hash", "=", hash)
    .where("expireTime", ">", sql<Date>`now()`);
  if (asker.groupRef !== undefined) query = query.where("groupRef", "=", asker.groupRef);
  if (asker.consumerRef !== undefined) query = query.where("consumerRef", "=", asker.consumerRef);
  const row = await query.returningAll().executeTakeFirst();
  return row && { ...row, providerMetadata: row.providerMetadata as ProviderMetadata };
}

/** Finds the session for an address that the API returned, until it expires. */
export async function findCustomAuthByAddress(
  queries: ControlQueries,
  beginHash: Buffer,
): Promise<ShownCustomAuthSession | undefined> {
  const row = await selectUnexpired(queries)
    .where("customAuthSessions.beginHash", "=", beginHash)
    .executeTakeFirst();
  return row && toShown(row);
}

/** Lists the open sessions that browsers with these cookies have continued, the latest first. */
export async function listCustomAuthOfBrowser(
  queries: ControlQueries,
  browserHashes: Buffer[],
): Promise<ShownCustomAuthSession[]> {
  if (browserHashes.length === 0) return [];
  const rows = await selectUnexpired(queries)
    .where("customAuthSessions.browserHash", "in", browserHashes)
    .where("leaveTime", "is not", null)
    .orderBy("leaveTime", "desc")
    .limit(20)
    .execute();
  return rows.map(toShown);
}

/** Notes that a browser continues to the provider. Returns false if the session belongs to another browser. */
export async function noteCustomAuthDeparture(
  queries: ControlQueries,
  id: string,
  { browserHash, expireTime }: { browserHash: Buffer; expireTime: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("customAuthSessions")
    .set({ browserHash, expireTime, leaveTime: sql`now()` })
    .where("id", "=", id)
    .where(({ eb, or }) => or([eb("browserHash", "is", null), eb("browserHash", "=", browserHash)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const selectUnexpired = (queries: ControlQueries) =>
  queries
    .selectFrom("customAuthSessions")
    .innerJoin("projects", "projects.id", "customAuthSessions.projectId")
    .selectAll("customAuthSessions")
    .select("projects.appName")
    .where("expireTime", ">", sql<Date>`now()`);

const toShown = (
  row: Awaited<ReturnType<ReturnType<typeof selectUnexpired>["executeTakeFirstOrThrow"]>>,
): ShownCustomAuthSession => ({ ...row, providerMetadata: row.providerMetadata as ProviderMetadata });

/** Removes up to `max` expired sessions, and returns their number. */
export const removeExpiredCustomAuthSessions = (queries: ControlQueries, max: number): Promise<number> =>
  removeRows(queries, "custom_auth_sessions", sql`expire_time < now()`, max);
