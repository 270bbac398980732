/** Health of installations, with reasons: derived from the stored state of connections, destinations, reads and subscriptions. */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { ACCEPTED_TIME } from "../operations/accepted-time.ts";
import { FAILED_ATTEMPT_PATTERN } from "../operations/failed-attempt.ts";
import { FAILURES_COUNT_FOR, FAILURES_IN_A_ROW } from "../operations/failing-writes.ts";
import { WORKER_GONE } from "../processes/running-processes.ts";

export const HEALTH_REASON_TYPES = [
  "connection",
  "destination",
  "field",
  "object",
  "read",
  "subscription",
  "write",
  "worker",
] as const;

export interface HealthReason {
  type: (typeof HEALTH_REASON_TYPES)[number];
  /** Name of the provider, destination, field or object. */
  name: string;
  detail: string;
  since: Date;
}

/** Reason with the object that it concerns. */
export interface LocatedReason extends HealthReason {
  /** Name of the object at the provider; null if the reason concerns every object, or all with a destination. */
  objectName: string | null;
  /** Operation whose log says more. */
  operationId: string | null;
}

/** Details of the reasons about destinations, or their beginnings. */
export const DESTINATION_DETAILS = {
  missing: "There is no destination of this name: what is read and subscribed waits for it.",
  disabled: "It is disabled",
  failing: "It is failing: no message was accepted since then.",
} as const;

/** Beginning of the detail of an object whose fields cannot be read; its records may be. */
export const SCHEMA_REFUSED = "Its fields cannot be read, so changes of its schema are not told";

/** Detail of a connection that the customer must mend; that of others says who must. */
export const REFUSED_CONNECTION =
  "The provider refuses the credentials. The customer has to connect again, unless a refused key is enabled again at the provider.";

/** Nothing of an installation is looked after then: what is read, sent, renewed or tried again. */
const NO_WORKER =
  "No process of this Busbar has the role `worker`: nothing is read, delivered or written asynchronously until one starts. What waits then goes on by itself.";

/** A connection without new tokens, which is no fault of the customer's. */
const CANNOT_REFRESH = sql`refresh_failure is not null and status <> 'bad_credentials'`;
/** Detail and time. */
const REFRESH_FAILURE = sql`refresh_failure ->> 'detail', (refresh_failure ->> 'since')::timestamptz`;

/** No event of the subscription arrives: its set-up has failed, or has taken longer than opening a stream may. */
export const NOT_SET_UP = sql`subscriptions.state = 'pending'
  and (subscriptions.attempts > 0 or subscriptions.state_time < now() - interval '1 minute')`;
/** A stream that ends is opened again at once: only one that fails twice in a row is broken. */
export const STREAM_IS_BROKEN = sql`event_streams.state <> 'open' and event_streams.attempts > 1 and event_streams.reason is not null`;

/** How long no accepted write may get its turn, or one that has failed may wait for an attempt that succeeds. */
export const WRITES_WAIT_FOR = sql.lit("5 minutes");
/** How long a read may wait without an attempt that failed. */
const READS_WAIT_FOR = sql.lit("5 minutes");
/** When a write failed for the first time, by its log; when it was accepted, if the log does not say it. */
const FIRST_FAILED_TIME = sql`coalesce((
  select min((entry ->> 'time')::timestamptz) from operations cross join lateral jsonb_array_elements(log) as entry
  where operations.id = operation_id and entry ->> 'msg' like ${sql.lit(FAILED_ATTEMPT_PATTERN)}), ${ACCEPTED_TIME})`;
/** Writes of the installation have ended a short time ago: its queue is only long. Those accepted before the waiting one tell. */
const QUEUE_ADVANCES = sql`exists (
  select from (
    select status, update_time from operations
    where operations.installation_id = installations.id and operations.id < writes.operation_id order by operations.id desc limit 100
  ) as before where status <> 'in_progress' and update_time > now() - interval ${WRITES_WAIT_FOR})`;

/** The oldest writes that have failed and are tried again; and one whose turn does not come, because the account takes no more or others are before it. */
const WAITING_WRITES = sql`(
  (select operation_id, ${FIRST_FAILED_TIME} as since, true as has_failed from writes
    where writes.installation_id = installations.id and attempts > 0 order by operation_id limit 10)
  union all
  (select operation_id, ${ACCEPTED_TIME}, false from (
    select operation_id from writes
    where writes.installation_id = installations.id and claimed_by is null and due_time <= now() - interval ${WRITES_WAIT_FOR}
    order by writes.installation_id, due_time, seq limit 1
  ) as writes where not ${QUEUE_ADVANCES})
)`;

/** Enough have failed in a row, and not long ago. */
export const IS_FAILING = sql`failures >= ${FAILURES_IN_A_ROW} and last_time > now() - interval ${FAILURES_COUNT_FOR}`;
/** Beginning of a stored error, as a regular expression: `[contact] Error writing to provider: `, or that of a batch. */
const RESULT_BEGINNING = "^\\[[^\\]]*\\] (Error writing to provider: |Batch write completed [^:]*: )?";

/** The operation's result without what the sentence has said already. */
const FAILED_RESULT = sql`rtrim(left(regexp_replace(result, ${sql.lit(RESULT_BEGINNING)}, ''), 500), '.')`;

/** Writes that end as failed or unknown at once wait for nothing: only their outcomes tell that the provider does not work. */
const FAILING_WRITES = sql`
  select 'write', coalesce(metadata #>> '{objects,0}', failing_writes.object_name),
    concat(format('The last %s %ss failed at the provider, or nobody knows what became of them, the last time at %s. ', failures, write_type,
        to_char(last_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'The last one: ' || ${FAILED_RESULT} || '. ', format('The log of operation %s says more. ', operation_id),
      format('This ends with the next %s that succeeds, or a week after the last failure.', write_type)),
    since, failing_writes.object_name, operation_id
  from failing_writes left join operations on operations.id = operation_id
  where failing_writes.installation_id = installations.id and ${IS_FAILING}`;

/** Destinations into which the newest revisions watch schemas. Most manifests are not parsed: they do not have the word. */
export const SCHEMA_DESTINATIONS = sql`(
  select integrations.id as integration_id, integrations.project_id, latest.content #>> '{watchSchema,destination}' as destination
  from integrations cross join lateral (
    select content from revisions where integration_id = integrations.id order by seq desc limit 1
  ) as latest
  where case when latest.content::text like '%"watchSchema"%' then latest.content #>> '{watchSchema,destination}' end <> ''
)`;

/**
 * Since when the installation's integration has watched schemas into `used.name`, without a revision between that does not. It reads
 * all revisions: only for a destination that is missing.
 */
const WATCHED_SINCE = sql`(
  select greatest(min(create_time), installations.create_time) from revisions
  where integration_id = installations.integration_id and seq > coalesce((
    select max(seq) from revisions as other where other.integration_id = installations.integration_id
      and other.content #>> '{watchSchema,destination}' is distinct from used.name), 0))`;

/** Since when a read waits for the same thing. */
const WAITING_SINCE = sql`(select (metadata #>> '{read,waitingSince}')::timestamptz from operations where operations.id = read_runs.operation_id)`;
/**
 * A read has waited for long without an attempt of its own: another request of the account met its rate limit, its free calls of the
 * day are used, or the destination takes less than is read. Refused credentials, and a destination that takes nothing, are reasons of
 * their own.
 */
export const READ_WAITS = sql`(attempts = 0 and exists (
  select from operations where operations.id = read_runs.operation_id and operations.metadata #>> '{read,waitsFor}' <> 'credentials'
    and (operations.metadata #>> '{read,waitingSince}')::timestamptz <= now() - interval ${READS_WAIT_FOR}
    and not (operations.metadata #>> '{read,waitsFor}' = 'destination' and exists (
      select from read_objects as waiting left join destinations
        on destinations.project_id = waiting.project_id and destinations.name = waiting.destination
      where waiting.installation_id = read_runs.installation_id and waiting.object_name = read_runs.object_name
        and (destinations.id is null or disabled_time is not null or destinations.failing_since is not null)))))`;

/** Reasons of installations, one row each. For statements with `installations`. */
export const HEALTH_REASONS = sql`(
  select 'connection' as type, provider as name,
    ${sql.lit(REFUSED_CONNECTION)} as detail,
    coalesce(connections.update_time, connections.create_time) as since, null as object_name, null::uuid as operation_id
  from connections where connections.id = installations.connection_id and status = 'bad_credentials'
  union all
  select 'connection', provider, ${REFRESH_FAILURE}, null, null
  from connections where connections.id = installations.connection_id and ${CANNOT_REFRESH}
  union all
  select 'destination', used.name,
    case when destinations.id is null then ${sql.lit(DESTINATION_DETAILS.missing)}
      when disabled_time is not null then coalesce(${sql.lit(`${DESTINATION_DETAILS.disabled}: `)} || disabled_reason, ${sql.lit(`${DESTINATION_DETAILS.disabled}.`)})
      else concat(${sql.lit(DESTINATION_DETAILS.failing)}, ' The first attempt failed: ' || failing_reason || '.') end,
    case when destinations.id is null then coalesce(used.since, ${WATCHED_SINCE})
      else coalesce(disabled_time, failing_since) end, null, null
  from (
    -- One that is in use cannot be deleted: what is missing was so when it was named.
    select name, min(destination_time) as since from (
      select destination as name, destination_time from read_objects
      where read_objects.installation_id = installations.id and not disabled
      union all
      select destination, destination_time from subscriptions
      where subscriptions.installation_id = installations.id and state <> 'disabled' and destination is not null
      union all
      select watched.destination, null
      from ${SCHEMA_DESTINATIONS} as watched where watched.integration_id = installations.integration_id
    ) as named group by name
  ) as used left join destinations on destinations.project_id = installations.project_id and destinations.name = used.name
  where destinations.id is null or disabled_time is not null or failing_since is not null
  union all
  select coalesce(failure ->> 'type', 'read'), coalesce(failure ->> 'name', message_name),
    coalesce(pause ->> 'error', failure ->> 'detail', 'The last read failed.'),
    least((pause ->> 'time')::timestamptz, failing_since), object_name, null
  from read_objects
  where read_objects.installation_id = installations.id and not disabled
    and (pause ->> 'by' = 'auto' or (pause is null and failing_since is not null))
  union all
  select 'field', missing.name,
    format('The account has no such field of %s, or refuses it: it was deleted, renamed or hidden. It is left out.', missing.message_name),
    missing.since, missing.object_name, null
  from (
    select distinct on (object_name, missing ->> 'name') object_name, message_name, missing ->> 'name' as name,
      (missing ->> 'since')::timestamptz as since
    from (
      select object_name, message_name, missing_fields from read_objects
      where read_objects.installation_id = installations.id and not disabled
      union all
      select object_name, coalesce((
        select message_name from read_objects
        where read_objects.installation_id = installations.id and read_objects.object_name = subscriptions.object_name), object_name), missing_fields
      from subscriptions where subscriptions.installation_id = installations.id and state <> 'disabled'
    ) as every cross join lateral jsonb_array_elements(missing_fields) as missing
    order by object_name, missing ->> 'name', since
  ) as missing
  union all
  select 'object', message_name,
    concat(${sql.lit(`${SCHEMA_REFUSED}: `)}, rtrim(left(schema_refusal ->> 'detail', 500), '.'), '. They are asked for again by the schedule of the watch.'),
    (schema_refusal ->> 'since')::timestamptz, object_name, null
  from read_objects where read_objects.installation_id = installations.id and not disabled and schema_refusal is not null
  union all
  select distinct on (read_objects.object_name) 'read', message_name,
    format('%s %s. The log of operation %s says more.',
      case attempts when 0 then 'No page was read since then.' when 1 then 'The provider gave no page at the last attempt.'
        else format('The provider gave no page at the last %s attempts.', attempts) end,
      coalesce(
        -- "Waiting until …" with the provider's words. Without room in the log, there is only the time.
        (select rtrim(left(last ->> 'msg', 500), '.') from (select log -> -1 as last from operations where id = operation_id) as entry
         where last ->> 'msg' like 'Waiting%'),
        'The next attempt is at ' || to_char(due_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      operation_id),
    case attempts when 0 then ${WAITING_SINCE} else page_time end, read_objects.object_name, operation_id
  from read_runs join read_objects using (installation_id, object_name)
  where read_runs.installation_id = installations.id and (attempts > 0 or ${READ_WAITS})
    and pause is null and failing_since is null and not disabled
  union all
  select case when failed_field is null then 'subscription' else 'field' end, coalesce(failed_field, object_name), coalesce(reason, 'The subscription is ' || state || '.'), state_time, object_name, null
  from subscriptions where subscriptions.installation_id = installations.id and (state in ('failed', 'degraded') or ${NOT_SET_UP})
  union all
  select 'subscription', object_name, event_streams.reason, coalesce(heard_time, event_streams.create_time), object_name, null
  from subscriptions join event_streams
    on event_streams.id = case source when 'pubsub' then installations.connection_id when 'journal' then journal_app_id end
  where subscriptions.installation_id = installations.id and subscriptions.state = 'active' and ${STREAM_IS_BROKEN}
  union all
  (select 'write', connections.provider,
    case when has_failed then format('Writes wait that were accepted: the provider has not taken the oldest one, operation %s, whose log says why. It is tried again until its deadline.', operation_id)
      else format('Writes wait for their turn, the oldest one is operation %s: none has ended for five minutes, because the account''s rate limit is reached or none can be sent.', operation_id) end,
    waiting.since, null, operation_id
  from ${WAITING_WRITES} as waiting join connections on connections.id = installations.connection_id
  where waiting.since <= now() - interval ${WRITES_WAIT_FOR}
  order by waiting.since limit 1)
  union all
  ${FAILING_WRITES}
  union all
  select 'worker', 'worker', ${sql.lit(NO_WORKER)}, greatest(gone.since, installations.create_time), null, null from ${WORKER_GONE} as gone
)`;

/** Whether an installation is unhealthy. For statements with `installations`. */
export const INSTALLATION_IS_UNHEALTHY = sql<boolean>`exists (select from ${HEALTH_REASONS} as reason)`;

/** Lists the reasons of these installations by id, oldest first; healthy ones are absent. */
export async function listHealthReasons(
  queries: DataQueries,
  installationIds: string[],
): Promise<Map<string, LocatedReason[]>> {
  if (installationIds.length === 0) return new Map();
  const { rows } = await sql<LocatedReason & { installationId: string }>`
    select installations.id as installation_id, reason.* from installations cross join lateral ${HEALTH_REASONS} as reason
    where installations.id = any(${installationIds}::uuid[]) order by reason.since, reason.type, reason.name
  `.execute(queries);
  const byInstallation = Map.groupBy(rows, ({ installationId }) => installationId);
  return new Map(
    [...byInstallation].map(([id, reasons]) => [
      id,
      reasons.map(({ type, name, detail, since, objectName, operationId }) => ({
        type,
        name,
        detail,
        since,
        objectName,
        operationId,
      })),
    ]),
  );
}

/** Reasons of all installations of a group, each once, and of connections without an installation. For statements with `groups`. */
export const GROUP_REASONS = sql`(
  select distinct on (type, name, detail) type, name, detail, since from (
    select type, name, detail, since from installations cross join lateral ${HEALTH_REASONS} as reason
    where installations.group_id = groups.id
    union all
    select 'connection', provider, ${sql.lit(REFUSED_CONNECTION)},
      coalesce(connections.update_time, connections.create_time)
    from connections where connections.group_id = groups.id and status = 'bad_credentials'
    union all
    select 'connection', provider, ${REFRESH_FAILURE}
    from connections where connections.group_id = groups.id and ${CANNOT_REFRESH}
  ) as every order by type, name, detail, since
)`;

/** Builds JSON of missing fields, each with the time since when it is missing; `known` may have that time. */
export const buildDatedFields = (
  known: RawBuilder<unknown>,
  names: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select jsonb_agg(jsonb_build_object('name', field, 'since', coalesce((
    select one ->> 'since' from jsonb_array_elements(${known}) as one where one ->> 'name' = field
  ), to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))) from unnest(${names}) as field
)`;
