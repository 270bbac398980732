/**
 * Scans of subscriptions over changed records: after a gap (reconciliation), and if the provider reports no changes (polling).
 * The changes found are stored as events, in the commit that moves the scan on.
 */
import { sql, type RawBuilder } from "kysely";
import type { JsonObject } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { isHeldBy, type SubscriptionClaim } from "./subscription-claim.ts";

/** Unfinished scan; times as ISO texts. */
export interface SubscriptionScan {
  kind: "reconciliation" | "polling";
  /** Part of the keys that mark changes found twice. */
  id: string;
  /** Why a reconciliation is necessary. */
  reason: string | null;
  since: string;
  /** Null until the first page, whose answer has the provider's time. */
  until: string | null;
  stage: "records" | "deletions";
  checkpoint: JsonObject | null;
  /** Number of events so far. */
  found: number;
}

/**
 * Sets the columns of a requested reconciliation. Waiting requests become one with the earliest time; a null time requests
 * nothing.
 */
export const reconcileFrom = (since: Date | RawBuilder<unknown>, reason: string): RawBuilder<unknown> => {
  const time = sql`(${since})::timestamptz`;
  return sql`
    reconcile_reason = case when reconcile_since <= ${time} or ${time} is null then reconcile_reason else ${reason} end,
    reconcile_since = least(reconcile_since, ${time})`;
};

/**
 * Requests a reconciliation: a scan finds the records that have changed since a time, and they are delivered unless the
 * receiver has them already. Returns false if there is no such subscription, or if all of its events are switched off.
 */
export async function requestReconciliation(
  queries: DataQueries,
  {
    installationId,
    objectName,
    since,
    reason,
  }: { installationId: string; objectName: string; since: Date; reason: string },
): Promise<boolean> {
  const { rows } = await sql`
    with requested as (
      update subscriptions set due_time = now(), ${reconcileFrom(since, reason)}
      where installation_id = ${installationId} and object_name = ${objectName} and state <> 'disabled'
      returning id
    )
    select id, ${buildWakeColumn("subscriptions")} from requested
  `.execute(queries);
  return rows.length > 0;
}

/** Change that a scan found. */
export interface FoundEvent {
  id: string;
  recordId: string;
  type: "create" | "update" | "delete";
  providerEventType: string;
  occurredTime: Date;
  dedupeKey: Buffer;
  raw: string;
}

export interface ScanStep extends SubscriptionClaim {
  installationId: string;
  objectName: string;
  events: FoundEvent[];
  /** Null if the scan is finished. */
  scan: SubscriptionScan | null;
  /** Set at the end of a reconciliation. */
  reconciled?: EndedReconciliation;
  /** Set at the end of a poll. */
  polled?: { until: Date; deletionsUntil: Date | null; nextTime: Date };
}

/** Last reconciliation of a subscription; times as ISO texts. */
export interface EndedReconciliation {
  since: string;
  until: string;
  reason: string;
  found: number;
  /** Reason why it could not be carried out. */
  error?: string;
  endTime: string;
}

/**
 * Stores the changes on a page of a scan, and where the scan continues, in one statement. Changes that were found before are
 * skipped. Returns false, and changes nothing, if this worker no longer has the claim.
 */
export async function commitScanStep(queries: DataQueries, step: ScanStep): Promise<boolean> {
  const { installationId, objectName, events, scan, reconciled, polled } = step;
  const column = <Name extends keyof FoundEvent>(name: Name) => events.map((event) => event[name]);
  const isMine = sql`exists (select from mine)`;
  const { rows } = await sql<{ isMine: boolean }>`
    with mine as materialized (
      select id from subscriptions where ${isHeldBy(step)} for no key update
    ), stored as (
      insert into subscription_events
        (id, installation_id, object_name, record_id, found_type, provider_event_type, occurred_time, dedupe_key, raw)
      select id, ${installationId}, ${objectName}, record_id, type, provider_event_type, occurred_time, dedupe_key, raw
      from unnest(${column("id")}::uuid[], ${column("recordId")}::text[], ${column("type")}::text[],
        ${column("providerEventType")}::text[], ${column("occurredTime")}::timestamptz[],
        ${column("dedupeKey")}::bytea[], ${column("raw")}::text[])
        with ordinality as event (id, record_id, type, provider_event_type, occurred_time, dedupe_key, raw, position)
      where ${isMine} order by position
      on conflict (installation_id, dedupe_key) do nothing
      returning id
    ), moved as (
      update subscriptions set walk = ${scan && JSON.stringify(scan)}::jsonb, attempts = 0,
        received = received + (select count(*) from stored),
        last_event_time = case when exists (select from stored) then now() else last_event_time end
        ${reconciled ? sql`, reconciled = ${JSON.stringify(reconciled)}::jsonb` : sql``}
        ${
          polled
            ? sql`, polled_until = ${polled.until}, polls = polls + 1,
                poll_time = case when poll_time is not null then ${polled.nextTime}::timestamptz end,
                deletions_until = coalesce(${polled.deletionsUntil}, deletions_until)`
            : sql``
        }
      where id in (select id from mine)
    )
    select ${isMine} as is_mine
  `.execute(queries);
  return rows[0]?.isMine ?? false;
}

/**
 * Begins a scan. The request of a reconciliation ends, unless an earlier time was requested since the claim. Returns false if
 * this worker no longer has the claim.
 */
export async function beginScan(
  queries: DataQueries,
  claim: SubscriptionClaim,
  scan: SubscriptionScan,
): Promise<boolean> {
  const over =
    scan.kind === "reconciliation"
      ? sql`, (reconcile_since, reconcile_reason) = (select reconcile_since, reconcile_reason
          where reconcile_since < ${scan.since}::timestamptz)`
      : sql``;
  const { numAffectedRows } = await sql`
    update subscriptions set walk = ${JSON.stringify(scan)}::jsonb ${over} where ${isHeldBy(claim)}
  `.execute(queries);
  return Number(numAffectedRows ?? 0) > 0;
}

/** Ends the scans of a claimed subscription whose events are all switched off. */
export async function dropScan(queries: DataQueries, claim: SubscriptionClaim): Promise<void> {
  await sql`
    update subscriptions set walk = null, reconcile_since = null, reconcile_reason = null, poll_time = null
    where ${isHeldBy(claim)}
  `.execute(queries);
}

/**
 * Lists the hashes of the last delivered states of records; `GONE` if the record was deleted. A record without a
 * delivery in the days for which events are stored is absent.
 */
export async function listDeliveredHashes(
  queries: DataQueries,
  {
    installationId,
    objectName,
    recordIds,
  }: { installationId: string; objectName: string; recordIds: string[] },
): Promise<Map<string, Buffer>> {
  if (recordIds.length === 0) return new Map();
  const { rows } = await sql<{ recordId: string; hash: Buffer }>`
    select distinct on (record_id) record_id, delivered_hash as hash from subscription_events
    where installation_id = ${installationId} and object_name = ${objectName}
      and record_id = any(${recordIds}::text[]) and delivered_hash is not null
    order by record_id, end_time desc, occurred_time desc, id desc
  `.execute(queries);
  return new Map(rows.map(({ recordId, hash }) => [recordId, hash]));
}
