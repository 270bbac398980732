/** Token refreshes: when one is due, which process carries it out, and which refresh token was sent last. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

interface ConnectionKey {
  id: string;
  projectId: string;
}

/** Schedules the next refresh after new tokens were stored. Ends every lease, and forgets which old refresh token was sent. */
export async function scheduleRefresh(
  queries: ControlQueries,
  connection: ConnectionKey,
  dueTime: Date | undefined,
): Promise<void> {
  const fresh = { dueTime: dueTime ?? null, failures: 0, sentHash: null, lacksApp: false, ...UNCLAIMED };
  await queries
    .insertInto("tokenRefreshes")
    .values({ connectionId: connection.id, projectId: connection.projectId, ...fresh })
    .onConflict((conflict) => conflict.column("connectionId").doUpdateSet(fresh))
    .execute();
}

/** Stops proactive refreshes until new credentials are stored. */
export async function endRefresh(queries: ControlQueries, id: string): Promise<void> {
  await queries.updateTable("tokenRefreshes").set({ dueTime: null }).where("connectionId", "=", id).execute();
}

/** Connections of a project to one provider. */
export interface RefreshQueue {
  projectId: string;
  provider: string;
}

/**
 * Claims up to `max` connections for a proactive refresh: no process gets them again for `holdSeconds`. Skips those of `busy`,
 * so that connections which could not be refreshed now do not hide others.
 */
export async function claimDueRefreshes(
  queries: ControlQueries,
  { max, holdSeconds, busy }: { max: number; holdSeconds: number; busy: RefreshQueue[] },
): Promise<ConnectionKey[]> {
  const { rows } = await sql<ConnectionKey>`
    update token_refreshes set due_time = now() + make_interval(secs => ${holdSeconds})
    where connection_id in (
      select due.connection_id
      from token_refreshes due join connections on connections.id = due.connection_id
      where due.due_time <= now() and not exists (
        select from unnest(
          ${busy.map(({ projectId }) => projectId)}::uuid[], ${busy.map(({ provider }) => provider)}::text[]
        ) as busy (project_id, provider)
        where busy.project_id = due.project_id and busy.provider = connections.provider
      )
      order by due.due_time
      limit ${max}
      for update of due skip locked
    )
    returning connection_id as id, project_id
  `.execute(queries);
  return rows;
}

interface RefreshClaim {
  claimId: string;
  /** Id of the claiming process. */
  claimedBy: number;
}

const UNCLAIMED = { claimId: null, claimedBy: null, claimedUntil: null };

/**
 * Claims the refresh of a connection. Returns what is known of the last refresh token that was sent, or undefined while another
 * claim than `deadClaim` is valid.
 */
export async function claimRefresh(
  queries: ControlQueries,
  connection: ConnectionKey,
  lease: RefreshClaim & { seconds: number; deadClaim?: string },
): Promise<{ sentHash?: Buffer } | undefined> {
  const claim = {
    claimId: lease.claimId,
    claimedBy: lease.claimedBy,
    claimedUntil: sql<Date>`now() + make_interval(secs => ${lease.seconds})`,
  };
  const row = await queries
    .insertInto("tokenRefreshes")
    .values({ connectionId: connection.id, projectId: connection.projectId, ...claim })
    .onConflict((conflict) =>
      conflict
        .column("connectionId")
        .doUpdateSet(claim)
        .where(({ eb, or, ref }) =>
          or([
            eb(ref("tokenRefreshes.claimedUntil"), "is", null),
            eb(ref("tokenRefreshes.claimedUntil"), "<=", sql<Date>`now()`),
            eb(ref("tokenRefreshes.claimId"), "in", [lease.claimId, lease.deadClaim ?? lease.claimId]),
          ]),
        ),
    )
    .returning("sentHash")
    .executeTakeFirst();
  return row && { sentHash: row.sentHash ?? undefined };
}

/** Finds the process that refreshes the connection now. */
export async function findRefreshClaim(
  queries: ControlQueries,
  id: string,
): Promise<RefreshClaim | undefined> {
  const row = await queries
    .selectFrom("tokenRefreshes")
    .select(["claimId", "claimedBy"])
    .where("connectionId", "=", id)
    .executeTakeFirst();
  return row?.claimId && row.claimedBy !== null
    ? { claimId: row.claimId, claimedBy: row.claimedBy }
    : undefined;
}

/**
 * Ends a lease. `answered`: the provider has answered, so it is certain whether the refresh token was used. A lease that was
 * lost meanwhile stays as it is.
 */
export async function releaseRefresh(
  queries: ControlQueries,
  id: string,
  { claimId, answered }: { claimId: string; answered: boolean },
): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ ...UNCLAIMED, ...(answered && { sentHash: null }) })
    .where("connectionId", "=", id)
    .where("claimId", "=", claimId)
    .execute();
}

/** Schedules a retry after a temporary failure: after `baseSeconds`, doubled with each further failure, at most `maxSeconds`. */
export async function deferRefresh(
  queries: ControlQueries,
  id: string,
  { baseSeconds, maxSeconds }: { baseSeconds: number; maxSeconds: number },
): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({
      failures: sql<number>`failures + 1`,
      dueTime: sql<Date>`now() + make_interval(secs => least(${baseSeconds}::float8 * power(2, least(failures, 20)), ${maxSeconds}::float8) * (0.5 + random() / 2))`,
    })
    .where("connectionId", "=", id)
    .where("dueTime", "is not", null)
    .execute();
}

/** Notes that a refresh token is about to be sent. Returns false if the lease was lost: then the token must not be sent. */
export async function markRefreshSent(
  queries: ControlQueries,
  id: string,
  { claimId, hash }: { claimId: string; hash: Buffer },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("tokenRefreshes")
    .set({ sentHash: hash })
    .where("connectionId", "=", id)
    .where("claimId", "=", claimId)
    .where("claimedUntil", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Notes that the project lacks a provider app. The refresh waits for new credentials, or for `retryWithApp`. */
export async function markLacksApp(queries: ControlQueries, id: string): Promise<void> {
  await queries
    .updateTable("tokenRefreshes")
    .set({ lacksApp: true })
    .where("connectionId", "=", id)
    .execute();
}

/** Makes the connections due that wait for a provider app, or failed with it: the project has a new or changed one. */
export async function retryWithApp(
  queries: ControlQueries,
  projectId: string,
  provider: string,
): Promise<void> {
  const retried = await queries
    .updateTable("tokenRefreshes")
    .set({ dueTime: sql<Date>`now()`, lacksApp: false })
    .where("projectId", "=", projectId)
    .where(({ or, and, eb, selectFrom }) =>
      or([
        eb("lacksApp", "=", true),
        and([eb("failures", ">", 0), eb("dueTime", "is not", null)]),
        eb(
          "connectionId",
          "in",
          selectFrom("connections")
            .select("id")
            .where("projectId", "=", projectId)
            .where("refreshFailure", "is not", null),
        ),
      ]),
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
