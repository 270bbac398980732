/** Stores the state of a connection's credentials: trials, successes, and why no new token can be obtained. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { queueSyncs } from "../integrations/installation-syncs.ts";

const VERIFIED = { verifiedTime: sql<Date>`coalesce(verified_time, now())`, trialTime: null };

/**
 * Claims up to `max` connections whose credentials are due for a trial, shared fairly among projects. The next trial comes
 * after 1, 2, 4 and up to 64 minutes, until the provider accepts them.
 */
export async function claimDueTrials(
  queries: ControlQueries,
  { max, minuteMs }: { max: number; minuteMs: number },
): Promise<{ id: string; projectId: string }[]> {
  const { rows } = await sql<{ id: string; projectId: string }>`/* prepare claim-due-trials */
    update connections
    set trials = trials + 1, trial_time = now() + make_interval(secs => ${minuteMs / 1_000} * power(2, least(trials, 6)))
    where id in (
      select id from connections where trial_time <= now() and status <> 'working' and id in (
        select id from (
          select id, trial_time, row_number() over (partition by project_id order by trial_time) as turn
          from connections where trial_time <= now() and status <> 'working'
        ) as due order by turn, trial_time limit ${max}
      ) for update skip locked
    )
    returning id, project_id
  `.execute(queries);
  return rows;
}

/** Records that a call with these credentials succeeded; writes only on a change. */
export async function markConnectionWorking(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<void> {
  await queries
    .updateTable("connections")
    .set({ status: "working", updateTime: sql`now()`, ...VERIFIED })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", "created")
    .execute();
}

/**
 * Marks credentials that the provider refuses. A key that is enabled again is found out by trials; a token that has ended or a grant that
 * was revoked is not: it takes a new consent.
 */
export const markBadCredentials = async (
  queries: ControlQueries,
  { projectId, id }: { projectId: string; id: string },
  { mayWorkAgain }: { mayWorkAgain: boolean },
): Promise<void> => {
  await queries
    .updateTable("connections")
    .set({
      status: "bad_credentials",
      trials: 0,
      trialTime: mayWorkAgain ? sql<Date>`now()` : null,
      updateTime: sql`now()`,
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .execute();
};

/**
 * Marks bad credentials as working again; writes only while the credentials are the same. What was not read meanwhile is due. In a
 * transaction of the caller.
 */
export async function healConnection(
  queries: ControlQueries,
  { projectId, id, sealed }: { projectId: string; id: string; sealed: string },
): Promise<void> {
  const { numUpdatedRows } = await queries
    .updateTable("connections")
    .set({ status: "working", refreshFailure: null, updateTime: sql`now()`, ...VERIFIED })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", "bad_credentials")
    .where("credentialsSealed", "=", sealed)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await queueSyncs(queries, { projectId, connectionId: id });
}

/**
 * Stores why no new token can be obtained, with the time of the first failure in a row. The connection is no longer
 * `working`. The same reason changes nothing.
 */
export async function saveRefreshFailure(
  queries: ControlQueries,
  projectId: string,
  id: string,
  detail: string,
): Promise<void> {
  await sql`
    update connections set refresh_failure = jsonb_build_object(
      'since', coalesce(refresh_failure -> 'since', to_jsonb(to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
      'detail', ${detail}::text),
      status = case status when 'working' then 'created' else status end
    where project_id = ${projectId} and id = ${id} and refresh_failure ->> 'detail' is distinct from ${detail}
  `.execute(queries);
}
