/**
 * Subscriptions: objects whose changes an installation subscribes to. A subscription is in one of these states:
 *
 *     pending    the set-up is under way, or is repeated after a failure of the provider
 *     active     events are delivered
 *     degraded   events are stored, but cannot be delivered now, or may be missing; `reason` tells why
 *     failed     the set-up failed for a reason that a person must remove
 *     disabled   every event is switched off
 *
 * A process claims a subscription while it works on its events, so the events of an object are processed in order.
 */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { isHeldBy, type SubscriptionClaim } from "./subscription-claim.ts";
import { reconcileFrom, type EndedReconciliation, type SubscriptionScan } from "./subscription-scans.ts";

export type SubscriptionSource = "webhook" | "journal" | "pubsub" | "polling";
export type SubscriptionState = "pending" | "active" | "degraded" | "failed" | "disabled";

export interface SubscriptionRow {
  id: string;
  installationId: string;
  objectName: string;
  projectId: string;
  provider: string;
  accountRef: string | null;
  objectKey: string | null;
  source: SubscriptionSource;
  destination: string | null;
  /** Set for the source `journal`: the provider app whose journal is read. */
  journalAppId: string | null;
  state: SubscriptionState;
  /** Since when it is in this state. */
  stateTime: Date;
  reason: string | null;
  /** Findings of the set-up that a person should know. */
  warnings: string[];
  /** Time at which the preferred source is tried again, if this one is a fallback. */
  sourceRetryTime: Date | null;
  reportedError: string | null;
  received: number;
  delivered: number;
  filtered: number;
  duplicates: number;
  lastEventTime: Date | null;
  /** Times until which changes, and deletions, are known: of a polled subscription, and of one that is being set up again. */
  polledUntil: Date | null;
  deletionsUntil: Date | null;
  polls: number;
  pollTime: Date | null;
  /** Start of a reconciliation that was requested and has not begun. */
  reconcileSince: Date | null;
  reconcileReason: string | null;
  scan: SubscriptionScan | null;
  /** Last finished reconciliation. */
  reconciled: EndedReconciliation | null;
}

const COLUMNS = sql`subscriptions.id, subscriptions.installation_id, subscriptions.object_name, subscriptions.project_id,
  subscriptions.provider, subscriptions.account_ref, subscriptions.object_key, subscriptions.source,
  subscriptions.destination, subscriptions.journal_app_id, subscriptions.state, subscriptions.state_time,
  subscriptions.reason, subscriptions.warnings, subscriptions.source_retry_time, subscriptions.reported_error, subscriptions.received::double precision,
  subscriptions.delivered::double precision, subscriptions.filtered::double precision,
  subscriptions.duplicates::double precision, subscriptions.last_event_time, subscriptions.polled_until,
  subscriptions.deletions_until, subscriptions.polls, subscriptions.poll_time, subscriptions.reconcile_since,
  subscriptions.reconcile_reason, subscriptions.walk as scan, subscriptions.reconciled`;

/** Lists the subscriptions of an installation. */
export async function listSubscriptions(
  queries: DataQueries,
  projectId: string,
  installationId: string,
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from subscriptions
    where project_id = ${projectId} and installation_id = ${installationId} order by object_name
  `.execute(queries);
  return rows;
}

export interface WantedSubscription {
  objectName: string;
  provider: string;
  accountRef: string | null;
  objectKey: string | null;
  source: SubscriptionSource;
  isDisabled: boolean;
  destination: string;
  /** Fields that are read with a change, in any case; absent for all fields of the object. */
  fields?: string[] | undefined;
  /** Set for the source `journal`: the provider app, and what its journal must report. */
  journal?: { appId: string; filter: JournalFilter | undefined } | undefined;
}

/** The events that a journal must report about an object. */
export interface JournalFilter {
  /** Client that subscribes. */
  clientId: string;
  create: boolean;
  delete: boolean;
  associationChange: boolean;
  other: string[];
  /** Fields whose changes are wanted; an empty list wants no updates. */
  fields: "all" | string[];
}

/**
 * Updates the subscriptions of an installation to its configuration. New ones, those with another account or source, and failed
 * ones are set up again.
 */
export async function syncSubscriptions(
  queries: DataQueries,
  { projectId, installationId, askedTime }: { projectId: string; installationId: string; askedTime?: Date },
  wanted: (WantedSubscription & { id: string })[],
): Promise<void> {
  const column = <Name extends keyof WantedSubscription | "id">(name: Name) => wanted.map((one) => one[name]);
  await sql`
    with gone as (
      delete from subscriptions where installation_id = ${installationId}
        and object_name <> all(${column("objectName")}::text[])
      returning object_name
    )
    update subscription_events set outcome = 'filtered', reason = 'the object is not subscribed any more', end_time = now()
    where installation_id = ${installationId} and object_name in (select object_name from gone) and outcome is null
  `.execute(queries);
  if (wanted.length === 0) return;
  await sql`
    insert into subscriptions as known (id, project_id, installation_id, object_name, provider, account_ref, object_key,
      source, destination, destination_time, journal_app_id, journal_wish, state, polled_until, poll_time)
    select id, ${projectId}, ${installationId}, object_name, provider, account_ref, object_key, source,
      destination, coalesce(${askedTime ?? null}::timestamptz, now()), journal_app_id, journal_wish, case when is_disabled then 'disabled' else 'pending' end,
      case when is_polled then now() end, case when is_polled then now() end
    from (
      select *, source = 'polling' and not is_disabled as is_polled
      from unnest(${column("id")}::uuid[], ${column("objectName")}::text[], ${column("provider")}::text[],
        ${column("accountRef")}::text[], ${column("objectKey")}::text[], ${column("source")}::text[], ${column("destination")}::text[],
        ${wanted.map(({ journal }) => journal?.appId ?? null)}::uuid[], ${wanted.map(toFilterText)}::jsonb[],
        ${column("isDisabled")}::boolean[])
        as one (id, object_name, provider, account_ref, object_key, source, destination, journal_app_id, journal_wish, is_disabled)
    ) wanted
    on conflict (installation_id, object_name) do update set
      provider = excluded.provider,
      -- Account and object keep their known names while the connection reports none.
      account_ref = coalesce(excluded.account_ref, known.account_ref),
      object_key = coalesce(excluded.object_key, known.object_key),
      source = excluded.source, destination = excluded.destination,
      destination_time = case when excluded.destination is not distinct from known.destination then known.destination_time else excluded.destination_time end,
      journal_app_id = excluded.journal_app_id, journal_wish = excluded.journal_wish,
      state = case when excluded.state = 'disabled' then 'disabled'
        when known.state = 'active' and excluded.source = known.source
          and excluded.journal_app_id is not distinct from known.journal_app_id
          and excluded.journal_wish is not distinct from known.journal_wish
          and coalesce(excluded.account_ref, known.account_ref) is not distinct from known.account_ref then 'active'
        else 'pending' end,
      reason = case when known.state = 'active' or excluded.state = 'disabled' then null else known.reason end,
      -- Polling begins at the moment from which it is the source, or with the last answer of a stream or journal, and goes on
      -- where it was. Both times stay while another source is being set up, so that nothing is missed in between.
      polled_until = case when excluded.state <> 'disabled' then coalesce(known.polled_until,
        case when excluded.source <> known.source and known.state in ('active', 'degraded') then (
          select greatest(known.create_time, heard_time - interval '5 minutes') from event_streams
          where event_streams.id = case known.source when 'journal' then known.journal_app_id
            when 'pubsub' then (select connection_id from installations where installations.id = known.installation_id) end) end,
        excluded.polled_until) end,
      deletions_until = case when excluded.state <> 'disabled' then known.deletions_until end,
      poll_time = case when excluded.poll_time is not null then coalesce(known.poll_time, excluded.poll_time) end,
      walk = case when excluded.state <> 'disabled'
        and (excluded.poll_time is not null or known.walk ->> 'kind' <> 'polling') then known.walk end,
      reconcile_since = case when excluded.state <> 'disabled' then known.reconcile_since end,
      due_time = now(), retry_time = null, source_retry_time = null
  `.execute(queries);
  await sql`
    update subscriptions set missing_fields = (
      select jsonb_agg(missing) from jsonb_array_elements(missing_fields) as missing where fields ? lower(missing ->> 'name'))
    from unnest(${column("objectName")}::text[], ${wanted.map(toFieldsText)}::jsonb[]) as one (name, fields)
    where installation_id = ${installationId} and object_name = one.name and missing_fields is not null and fields is not null
  `.execute(queries);
}

const toFieldsText = ({ fields }: WantedSubscription): string | null =>
  fields ? JSON.stringify(fields.map((name) => name.toLowerCase())) : null;

const toFilterText = ({ journal }: WantedSubscription): string | null =>
  journal?.filter ? JSON.stringify(journal.filter) : null;

export interface ClaimedSubscription extends SubscriptionRow {
  connectionId: string;
  attempts: number;
  claim: SubscriptionClaim;
}

interface DueSubscription {
  id: string;
  projectId: string;
  connectionId: string;
}

/** Lists due subscriptions, round-robin over projects, the longest due first. */
export async function listDueSubscriptions(queries: DataQueries, among: number): Promise<DueSubscription[]> {
  const { rows } = await sql<DueSubscription>`
    select due.id, due.project_id, connection_id from (
      select id, project_id, installation_id, due_time,
        row_number() over (partition by project_id order by due_time, id) as turn
      from (
        select * from subscriptions
        where claimed_by is null and due_time <= now() and (retry_time is null or retry_time <= now())
        order by due_time limit ${among}
      ) oldest
    ) due join installations on installations.id = due.installation_id
    order by turn, due_time
  `.execute(queries);
  return rows;
}

/** Claims subscriptions that nobody else has claimed meanwhile. */
export async function claimSubscriptions(
  queries: DataQueries,
  workerId: number,
  ids: string[],
): Promise<ClaimedSubscription[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Omit<ClaimedSubscription, "claim"> & { claimNumber: number }>`
    with due as materialized (
      select id from subscriptions
      where id = any(${ids}::uuid[]) and claimed_by is null and due_time <= now()
        and (retry_time is null or retry_time <= now())
      for update skip locked
    ), claimed as (
      update subscriptions set claimed_by = ${workerId}::integer, claim_number = claim_number + 1, due_time = null
      where id = any(array(select id from due))
      returning *
    )
    select ${COLUMNS}, connection_id, attempts, claim_number
    from claimed subscriptions join installations on installations.id = subscriptions.installation_id
  `.execute(queries);
  return rows.map(({ claimNumber, ...row }) => ({ ...row, claim: { id: row.id, workerId, claimNumber } }));
}

/** Releases claimed subscriptions; they are due at once. */
export async function releaseSubscriptions(
  queries: DataQueries,
  workerId: number,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update subscriptions set claimed_by = null, due_time = now()
    where claimed_by = ${workerId} and id = any(${ids}::uuid[])
  `.execute(queries);
}

/** Releases all claims of a process, except for `held`. */
export async function recoverSubscriptions(
  queries: DataQueries,
  workerId: number,
  held: string[] = [],
): Promise<void> {
  await sql`
    update subscriptions set claimed_by = null, due_time = now()
    where claimed_by = ${workerId} and id <> all(${held}::uuid[])
  `.execute(queries);
}

/** Returns the milliseconds until the next subscription is due; undefined if none will be due by itself. */
export async function findNextSubscriptionDueMs(queries: DataQueries): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(greatest(due_time, retry_time)) - now())::double precision * 1000 as ms
    from subscriptions where claimed_by is null and due_time is not null and greatest(due_time, retry_time) > now()
  `.execute(queries);
  return rows[0]?.ms ?? undefined;
}

/** Columns of a subscription that works again. */
export const RECOVERED = sql`attempts = 0, state = case when state = 'degraded' then 'active' else state end,
  reason = case when state = 'degraded' then null else reason end, failed_field = case when state = 'degraded' then null else failed_field end`;

/**
 * Releases the claim after a success. The subscription is due again when events wait, a scan is unfinished, the next poll is
 * due, or the preferred source is to be tried again.
 */
export async function releaseClaim(
  queries: DataQueries,
  { windowMs, ...claim }: SubscriptionClaim & { windowMs: number },
): Promise<void> {
  await sql`
    update subscriptions set claimed_by = null, retry_time = null, ${RECOVERED},
      due_time = least(due_time, poll_time, source_retry_time, case when walk is not null or reconcile_since is not null then now() end, (
        select min(received_time) + ${windowMs} * interval '1 millisecond' from subscription_events
        where subscription_events.installation_id = subscriptions.installation_id
          and subscription_events.object_name = subscriptions.object_name and outcome is null))
    where ${isHeldBy(claim)}
  `.execute(queries);
}

interface PostponedSubscription extends SubscriptionClaim {
  retryTime: Date;
  attempts: number;
  state: SubscriptionState;
  reason: string;
  /** Required field that the account does not have, if that is the reason. */
  failedField?: string | undefined;
  /** Set if the same transaction records `subscribe.create.error` for it. */
  reportedError?: string;
  /** Makes it due at once if something has made it due since the claim, such as a stream that was opened. */
  unlessDue?: true;
}

/** Releases a claimed subscription after a failure. Events that arrive meanwhile wait as well. */
export async function postponeSubscription(queries: DataQueries, one: PostponedSubscription): Promise<void> {
  const {
    retryTime,
    attempts,
    state,
    reason,
    failedField = null,
    reportedError = null,
    unlessDue = false,
  } = one;
  await sql`
    update subscriptions set claimed_by = null, due_time = now(),
      retry_time = case when ${unlessDue} and due_time is not null then null else ${retryTime}::timestamptz end, attempts = ${attempts},
      state = ${state}, reason = ${reason}, failed_field = ${failedField}, reported_error = coalesce(${reportedError}, reported_error)
    where ${isHeldBy(one)}
  `.execute(queries);
}

const CAUGHT_UP = "Changes may be missing from the time before the provider reported them again.";

/**
 * Stores the result of the set-up, and that events are delivered from now on. A reconciliation finds the changes before that,
 * since polling or the stream ended.
 */
export async function activateSubscription(
  queries: DataQueries,
  one: SubscriptionClaim & { accountRef: string; objectKey: string; warnings: string[] },
): Promise<void> {
  const { accountRef, objectKey, warnings } = one;
  const missedSince = sql`case when poll_time is null then least(polled_until, deletions_until) end`;
  await sql`
    update subscriptions set account_ref = ${accountRef}, object_key = ${objectKey}, reported_error = null, attempts = 0,
      state = 'active', reason = null, failed_field = null, warnings = ${warnings}::text[], source_retry_time = null, ${reconcileFrom(missedSince, CAUGHT_UP)},
      polled_until = case when poll_time is not null then polled_until end,
      deletions_until = case when poll_time is not null then deletions_until end
    where ${isHeldBy(one)}
  `.execute(queries);
}

/**
 * Stores the fallback source of a subscription whose preferred source could not be set up and is tried again later. Polling
 * begins where the known changes end; before pushes, a reconciliation finds the changes since then.
 */
export async function setFallbackSource(
  queries: DataQueries,
  one: SubscriptionClaim & {
    accountRef: string;
    objectKey: string;
    source: SubscriptionSource;
    reason: string | null;
    sourceRetryTime: Date | null;
  },
): Promise<void> {
  const { accountRef, objectKey, source, reason, sourceRetryTime } = one;
  const isPolled = source === "polling";
  const missedSince = isPolled ? sql`null` : sql`least(polled_until, deletions_until)`;
  await sql`
    update subscriptions set account_ref = ${accountRef}, object_key = ${objectKey}, attempts = 0, source = ${source},
      state = 'active', reason = ${reason}, warnings = '{}', source_retry_time = ${sourceRetryTime},
      ${reconcileFrom(missedSince, CAUGHT_UP)},
      poll_time = case when ${isPolled} then coalesce(poll_time, now()) end,
      polled_until = case when ${isPolled} then coalesce(polled_until, now()) end,
      deletions_until = case when ${isPolled} then deletions_until end
    where ${isHeldBy(one)}
  `.execute(queries);
}

/** Starts the set-up of a claimed subscription with another source. The times until which polling knew the changes stay. */
export async function changeSource(
  queries: DataQueries,
  { source, ...claim }: SubscriptionClaim & { source: SubscriptionSource },
): Promise<void> {
  await sql`
    update subscriptions set source = ${source}, state = 'pending', reason = null, source_retry_time = null,
      poll_time = null, walk = case when walk ->> 'kind' <> 'polling' then walk end
    where ${isHeldBy(claim)}
  `.execute(queries);
}

/** Stores the names of account and object in events, for the streams that are wanted. */
export async function nameSubscription(
  queries: DataQueries,
  one: SubscriptionClaim & { accountRef: string; objectKey: string },
): Promise<void> {
  const { accountRef, objectKey } = one;
  await sql`
    update subscriptions set account_ref = ${accountRef}, object_key = ${objectKey}
    where ${isHeldBy(one)}
  `.execute(queries);
}
