/** When connections' tokens are to be refreshed, and what was sent to refresh them. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

interface ConnectionKey {
  id: string;
  projectId: string;
}

/** Begins anew: tokens were stored, and nothing that was sent is without an answer. */
export async function scheduleRefresh(
  queries: Queries,
  connection: ConnectionKey,
  dueTime: Date | undefined,
): Promise<void> {
  const fresh = { dueTime: dueTime ?? null, failures: 0, sentHash: null, lacksApp: false };
  await queries
    .insertInto("tokenRefreshes")
    .values({ connectionId: connection.id, projectId: connection.projectId, ...fresh })
    .onConflict((conflict) => conflict.column("connectionId").doUpdateSet(fresh))
    .execute();
}

/** Nothing more is refreshed until somebody stores new credentials. `keepSent`: the last answer is still unknown. */
export async function endRefresh(queries: Queries, id: string, keepSent: boolean): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ dueTime: null, ...(!keepSent && { sentHash: null }) })
    .where("connectionId", "=", id)
    .execute();
}

/** Up to `most` connections whose time has come; nobody else gets them for a while. */
export async function claimDueRefreshes(
  queries: Queries,
  most: number,
  holdSeconds: number,
): Promise<ConnectionKey[]> {
  const rows = await queries
    .updateTable("tokenRefreshes")
    .set({ dueTime: sql<Date>`now() + make_interval(secs => ${holdSeconds})` })
    .where("connectionId", "in", (inner) =>
      inner
        .selectFrom("tokenRefreshes")
        .select("connectionId")
        .where("dueTime", "<=", sql<Date>`now()`)
        .orderBy("dueTime")
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .returning(["connectionId as id", "projectId"])
    .execute();
  return rows;
}

/** After a failure that may pass: again in `baseSeconds`, doubled with each failure in a row, `mostSeconds` at most. */
export async function deferRefresh(
  queries: Queries,
  id: string,
  { baseSeconds, mostSeconds }: { baseSeconds: number; mostSeconds: number },
): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({
      failures: sql<number>`failures + 1`,
      dueTime: sql<Date>`now() + make_interval(secs => least(${baseSeconds}::float8 * power(2, least(failures, 20)), ${mostSeconds}::float8) * (0.5 + random() / 2))`,
    })
    .where("connectionId", "=", id)
    .where("dueTime", "is not", null)
    .execute();
}

/** Committed before a refresh token leaves, by whoever holds the connection's row lock. */
export async function markRefreshSent(queries: Queries, id: string, hash: Buffer): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ sentHash: hash })
    .where("connectionId", "=", id)
    .execute();
}

/** The provider said no: the refresh token was not used up. */
export async function clearRefreshSent(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ sentHash: null })
    .where("connectionId", "=", id)
    .execute();
}

/** Digest of a refresh token whose answer never came. */
export async function findRefreshSent(queries: Queries, id: string): Promise<Buffer | undefined> {
  const row = await queries
    .selectFrom("tokenRefreshes")
    .select("sentHash")
    .where("connectionId", "=", id)
    .executeTakeFirst();
  return row?.sentHash ?? undefined;
}

/** Noted until somebody stores new credentials or `retryWithApp` is called. */
export async function markLacksApp(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ lacksApp: true })
    .where("connectionId", "=", id)
    .execute();
}

/** The project has an app for the provider, or another one than before: what waited for that is due now. */
export async function retryWithApp(queries: Queries, projectId: string, provider: string): Promise<void> {
  const retried = await queries
    .updateTable("tokenRefreshes")
    .set({ dueTime: sql<Date>`now()`, lacksApp: false })
    .where("projectId", "=", projectId)
    .where(({ or, and, eb }) =>
      or([eb("lacksApp", "=", true), and([eb("failures", ">", 0), eb("dueTime", "is not", null)])]),
    )
    .where("connectionId", "in", (inner) =>
      inner
        .selectFrom("connections")
        .select("id")
        .where("projectId", "=", projectId)
        .where("provider", "=", provider),
    )
    .returning("connectionId")
    .execute();
  const ids = retried.map(({ connectionId }) => connectionId);
  if (ids.length === 0) return;
  await queries
    .updateTable("connections")
    .set({ status: "created", updateTime: sql`now()` })
    .where("projectId", "=", projectId)
    .where("id", "in", ids)
    .where("status", "=", "bad_credentials")
    .execute();
}
