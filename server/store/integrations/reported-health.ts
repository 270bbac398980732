/** Health of installations as it was last reported, and which of them have changed since. */
import { sql } from "kysely";
import { IS_OWN_INSTALLATION, isHere } from "../database/own-customers.ts";
import type { DataQueries } from "../database/sides.ts";
import {
  DESTINATION_DETAILS,
  HEALTH_REASON_TYPES,
  HEALTH_REASONS,
  IS_FAILING,
  type HealthReason,
  NOT_SET_UP,
  READ_WAITS,
  SCHEMA_DESTINATIONS,
  STREAM_IS_BROKEN,
  WRITES_WAIT_FOR,
} from "./installation-health.ts";

interface ChangedHealth {
  installationId: string;
  /** Empty if it is healthy again. */
  reasons: (Omit<HealthReason, "since"> & { since: string })[];
  /**
   * Keys that distinguish reported states. They leave out what changes with every attempt: missing, disabled and failing
   * differ, the time of the next attempt and the error do not count.
   */
  keys: string[];
}

/** Without a worker nobody reports it, and the event would not be delivered. The first one must not report it as it starts. */
const NOT_REPORTED = "worker" satisfies HealthReason["type"];

export const REPORTED_REASONS = HEALTH_REASON_TYPES.filter((type) => type !== NOT_REPORTED);

/** Tells states of a destination apart, without the error, which may be another one each time that it fails. */
const KIND = sql`case when type = 'destination' then case
  ${sql.join(
    Object.entries(DESTINATION_DETAILS).map(
      ([kind, beginning]) => sql`when starts_with(detail, ${sql.lit(beginning)}) then ${sql.lit(kind)}`,
    ),
    sql` `,
  )} end end`;

/** Installations that may have a reason. Found without reading each healthy one. */
const CANDIDATES = sql`(
  select installation_id as id from reported_health
  union select installations.id from connections join installations on connection_id = connections.id
  where (connections.status = 'bad_credentials' or connections.refresh_failure is not null) and ${IS_OWN_INSTALLATION}
  union select installation_id from read_objects
  where not disabled and (failing_since is not null or pause ->> 'by' = 'auto' or jsonb_array_length(missing_fields) > 0
    or schema_refusal is not null)
  union select installation_id from read_runs where attempts > 0 or ${READ_WAITS}
  union select installation_id from subscriptions
  where state in ('failed', 'degraded') or jsonb_array_length(missing_fields) > 0 or ${NOT_SET_UP}
  union select subscriptions.installation_id from event_streams
    join installations on installations.connection_id = event_streams.connection_id
    join subscriptions on subscriptions.installation_id = installations.id where ${STREAM_IS_BROKEN}
  union select subscriptions.installation_id from event_streams
    join subscriptions on journal_app_id = event_streams.provider_app_id where ${STREAM_IS_BROKEN}
  union select installation_id from writes where attempts > 0
  union select installation_id from failing_writes where ${IS_FAILING}
  union select installation_id from (
    with recursive heads as (
      (select installation_id, due_time from writes where claimed_by is null order by installation_id, due_time, seq limit 1)
      union all
      select next.installation_id, next.due_time from heads, lateral (
        select installation_id, due_time from writes
        where claimed_by is null and installation_id > heads.installation_id
        order by installation_id, due_time, seq limit 1) as next
    ) select installation_id from heads where due_time <= now() - interval ${WRITES_WAIT_FOR}
  ) as overdue
  union select installation_id from (
    select installation_id, project_id, destination from read_objects where not disabled
    union select installation_id, project_id, destination from subscriptions
    where state <> 'disabled' and destination is not null
    union select installations.id, watched.project_id, watched.destination from ${SCHEMA_DESTINATIONS} as watched
    join installations on installations.integration_id = watched.integration_id where ${IS_OWN_INSTALLATION}
  ) as used left join destinations on destinations.project_id = used.project_id and destinations.name = used.destination
  where destinations.id is null or disabled_time is not null or failing_since is not null
)`;

/**
 * Lists installations behind `after` whose reasons differ from the reported ones. A reason counts after `standsMs`. Returns
 * undefined while another process does this work. Call it in a transaction, which holds the lock.
 */
export async function listChangedHealth(
  queries: DataQueries,
  { after, standsMs, max }: { after: string; standsMs: number; max: number },
): Promise<ChangedHealth[] | undefined> {
  const { rows: turn } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('reported_health')) as is_ours`.execute(queries);
  if (!turn[0]?.isOurs) return undefined;
  const { rows } = await sql<ChangedHealth>`/* prepare list-changed-health */
    select installations.id as installation_id, found.reasons, found.keys
    from ${CANDIDATES} as candidate join installations on installations.id = candidate.id
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(reason) - 'object_name' order by reason.since, type, name), '[]') as reasons,
        coalesce(array_agg(distinct concat_ws(' ', type, name, ${KIND})), '{}') as keys
      from ${HEALTH_REASONS} as reason where type <> ${NOT_REPORTED} and since <= now() - ${standsMs} * interval '1 millisecond'
    ) as found left join reported_health on reported_health.installation_id = installations.id
    where installations.id > ${after} and ${isHere(sql`installations.id`)} and found.keys <> coalesce(reported_health.reasons, '{}')
    order by installations.id limit ${max}
  `.execute(queries);
  return rows.map(({ reasons, ...row }) => ({
    ...row,
    reasons: reasons.map((reason) => ({ ...reason, since: new Date(reason.since).toISOString() })),
  }));
}

/** Stores what is reported, in the transaction of the events. */
export async function saveReportedHealth(queries: DataQueries, changed: ChangedHealth[]): Promise<void> {
  const healthy = changed.filter(({ keys }) => keys.length === 0).map(({ installationId }) => installationId);
  await sql`delete from reported_health where installation_id = any(${healthy}::uuid[])`.execute(queries);
  const unhealthy = changed.filter(({ keys }) => keys.length > 0);
  if (unhealthy.length === 0) return;
  await queries
    .insertInto("reportedHealth")
    .values(unhealthy.map(({ installationId, keys }) => ({ installationId, reasons: keys })))
    .onConflict((conflict) =>
      conflict.column("installationId").doUpdateSet(({ ref }) => ({ reasons: ref("excluded.reasons") })),
    )
    .execute();
}
