/** Erases a group from every table, in statements that are short enough to be repeated. */
import { sql } from "kysely";
import { encodeStep } from "../../../ground/normalize-path.ts";
import type { ControlQueries, DataQueries, SharedQueries } from "../database/sides.ts";
import { removeLines } from "../operations/proxy-usage.ts";
import { erasePushes, type PushedAccount } from "../subscriptions/received-pushes.ts";
import { countAffectedRows } from "../database/database.ts";

export interface ErasedGroup {
  id: string;
  projectId: string;
  groupRef: string;
  /** Last event that an earlier request has examined. */
  erasedUntilEvent: string | null;
}

/** Ids for finding the remaining rows when connections and installations are gone. */
export interface GroupTraces {
  installationIds: string[];
  connectionIds: string[];
}

interface ErasedAccounts {
  installations: number;
  connections: number;
  consumers: number;
  consents: number;
}

/** Returns whether somebody began to connect for this group, which has a row only once that has succeeded. */
export async function hasBegunToConnect(
  queries: ControlQueries,
  { projectId, groupRef }: Pick<ErasedGroup, "projectId" | "groupRef">,
): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    select exists (select from consents where project_id = ${projectId} and group_ref = ${groupRef})
      or exists (select from custom_auth_sessions where project_id = ${projectId} and group_ref = ${groupRef}) as begun
  `.execute(queries);
  return rows[0]?.begun === true;
}

/** Finds and locks a group, so that nobody connects or installs meanwhile. */
export const lockGroup = (
  queries: ControlQueries,
  projectId: string,
  groupRef: string,
): Promise<ErasedGroup | undefined> =>
  queries
    .selectFrom("groups")
    .select(["id", "projectId", "groupRef", "erasedUntilEvent"])
    .where("projectId", "=", projectId)
    .where("groupRef", "=", groupRef)
    .forUpdate()
    .executeTakeFirst();

/** Returns the ids of a group's installations and connections, removed ones included. */
export async function findGroupTraces(queries: SharedQueries, { id }: ErasedGroup): Promise<GroupTraces> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select 'installation' as kind, id from installations where group_id = ${id}
    union select 'installation', id from removed_installations where group_id = ${id}
    union select 'connection', id from connections where group_id = ${id}
    union select 'connection', id from removed_connections where group_id = ${id}
  `.execute(queries);
  const listIds = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.id);
  return { installationIds: listIds("installation"), connectionIds: listIds("connection") };
}

/**
 * Removes installations, connections with their credentials, consents, and people who connected for this group only. Rows that
 * depend on an installation are removed with it: read objects, fingerprints, subscriptions and their events. Pushes set aside
 * that may be about `accounts` are removed, too. The installation's id stays in `removed_installations` until the end.
 */
export async function eraseAccounts(
  queries: ControlQueries,
  group: ErasedGroup,
  accounts: PushedAccount[],
): Promise<ErasedAccounts> {
  const { id, projectId, groupRef } = group;
  const consumers = await sql<{ id: string }>`
    select consumer_id as id from connections where group_id = ${id}
    union select consumer_id from removed_connections where group_id = ${id}
    union
    select consumers.id from consumers
    join consents on consents.project_id = consumers.project_id and consents.consumer_ref = consumers.consumer_ref
    where consents.project_id = ${projectId} and consents.group_ref = ${groupRef}
  `.execute(queries);
  const consents = await sql`
    delete from consents where project_id = ${projectId} and group_ref = ${groupRef}
  `.execute(queries);
  await sql`
    delete from custom_auth_sessions where project_id = ${projectId} and group_ref = ${groupRef}
  `.execute(queries);
  await erasePushes(queries, projectId, accounts);
  const installations = await sql`delete from installations where group_id = ${id}`.execute(queries);
  const connections = await sql`delete from connections where group_id = ${id}`.execute(queries);
  const people = await sql`
    delete from consumers where id = any(${consumers.rows.map((row) => row.id)}::uuid[])
      and not exists (select from connections where connections.consumer_id = consumers.id)
  `.execute(queries);
  return {
    installations: countAffectedRows(installations),
    connections: countAffectedRows(connections),
    consumers: countAffectedRows(people),
    consents: countAffectedRows(consents),
  };
}

/**
 * Removes the outbox entries about the group, once its accounts cannot cause new ones. Waits for entries that are being carried
 * over, so it must not share a transaction with other statements: carrying over may wait for those.
 */
export async function eraseOutbox(
  queries: ControlQueries,
  { projectId, groupRef, installationIds, connectionIds }: ErasedGroup & GroupTraces,
): Promise<void> {
  await sql`
    delete from outbox where position in (
      select position from outbox cross join lateral (select (content ->> 'data')::json as data) as event
      where project_id = ${projectId} and (
        data ->> 'groupRef' = ${groupRef}
        or data #>> '{approval,groupRef}' = ${groupRef}
        or data ->> 'installationId' = any(${installationIds}::text[])
        or data ->> 'connectionId' = any(${connectionIds}::text[])))
  `.execute(queries);
}

/** Lists up to `max` operations. */
export async function listErasedOperations(
  queries: DataQueries,
  { installationIds }: GroupTraces,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from operations where installation_id = any(${installationIds}::uuid[]) limit ${max}
  `.execute(queries);
  return rows.map(({ id }) => id);
}

/** Removes the answers stored for operations, while these are still there to find them by. */
export async function eraseAnswers(queries: ControlQueries, operationIds: string[]): Promise<number> {
  const keys = await sql`
    delete from idempotency_keys where operation_id = any(${operationIds}::uuid[])
  `.execute(queries);
  return countAffectedRows(keys);
}

/** Removes operations with their logs and queued records. */
export async function eraseOperations(
  queries: DataQueries,
  ids: string[],
): Promise<{ operations: number; queuedWrites: number }> {
  const writes = await sql`delete from writes where operation_id = any(${ids}::uuid[])`.execute(queries);
  const operations = await sql`delete from operations where id = any(${ids}::uuid[])`.execute(queries);
  return { operations: countAffectedRows(operations), queuedWrites: countAffectedRows(writes) };
}

/** Removes up to `max` lines of proxied calls. */
export const eraseProxyCalls = (
  queries: DataQueries,
  { installationIds }: GroupTraces,
  max: number,
): Promise<number> =>
  removeLines(
    queries,
    sql`
    select id, time from proxy_usage where installation_id = any(${installationIds}::uuid[]) limit ${max}`,
  );

/**
 * Examines `max` events after `afterId` and removes those about the group, with their deliveries. Returns the last examined id,
 * or undefined after the last event. An event names its group only in its data, so all events are examined.
 */
export async function eraseEvents(
  queries: DataQueries,
  group: ErasedGroup & GroupTraces,
  range: { afterId: string; max: number },
): Promise<{ lastId: string | undefined; events: number; deliveries: number }> {
  const { rows } = await sql<{ lastId: string | null; ids: string[] | null }>`
    with page as materialized (
      select id, project_id, data from events where id > ${range.afterId} order by id limit ${range.max}
    )
    select (select id from page order by id desc limit 1) as last_id, array_agg(id) as ids from page
    where project_id = ${group.projectId} and (
      data ->> 'groupRef' = ${group.groupRef}
      or data #>> '{approval,groupRef}' = ${group.groupRef}
      or data ->> 'installationId' = any(${group.installationIds}::text[])
      or data ->> 'connectionId' = any(${group.connectionIds}::text[]))
  `.execute(queries);
  const lastId = rows[0]?.lastId ?? undefined;
  const ids = rows[0]?.ids ?? [];
  if (ids.length === 0) return { lastId, events: 0, deliveries: 0 };
  const deliveries = await sql`
    delete from deliveries where event_id = any(${ids}::uuid[])
      and destination_id in (select id from destinations where project_id = ${group.projectId})
  `.execute(queries);
  await sql`
    delete from events_nowhere where project_id = ${group.projectId} and event_id = any(${ids}::uuid[])
  `.execute(queries);
  await sql`delete from unrouted_events where event_id = any(${ids}::uuid[])`.execute(queries);
  await sql`delete from seen_records where id = any(${ids}::uuid[])`.execute(queries);
  await sql`delete from events where id = any(${ids}::uuid[])`.execute(queries);
  return { lastId, events: ids.length, deliveries: countAffectedRows(deliveries) };
}

/** Stores the last event that was examined, where the next request goes on. */
export async function storeErasedUntil(
  queries: ControlQueries,
  { id }: ErasedGroup,
  eventId: string,
): Promise<void> {
  await sql`update groups set erased_until_event = ${eventId} where id = ${id}`.execute(queries);
}

/** Returns whether the group has a connection again. */
export async function hasConnection(queries: SharedQueries, { id }: ErasedGroup): Promise<boolean> {
  const { rows } = await sql`select from connections where group_id = ${id} limit 1`.execute(queries);
  return rows.length > 0;
}

/** Removes refused requests that name the group, or whose body or query named it. */
export async function eraseRefusedRequests(
  queries: ControlQueries,
  { projectId, groupRef, installationIds, connectionIds }: ErasedGroup & GroupTraces,
): Promise<number> {
  const inPath = `/${encodeStep(groupRef)}`;
  const removed = await sql`
    delete from refused_requests where project_id = ${projectId} and (
      group_ref = ${groupRef} or strpos(detail, ${`\`${groupRef}\``}) > 0
      or strpos(path || '/', ${`${inPath}/`}) > 0 or strpos(path, ${`${inPath}:`}) > 0
      or exists (
        select from unnest(${[...installationIds, ...connectionIds]}::text[]) as gone where strpos(path || detail, gone) > 0))
  `.execute(queries);
  return countAffectedRows(removed);
}

/** Removes the group's name from the audit; who did what is kept. */
export async function eraseAuditNames(
  queries: ControlQueries,
  { projectId, groupRef, installationIds, connectionIds }: ErasedGroup & GroupTraces,
): Promise<number> {
  const changed = await sql`
    update audit_events set target_name = null, target_id = null where project_id = ${projectId} and (
      (target_kind = 'group' and target_id = ${groupRef})
      or target_id = any(${[...installationIds, ...connectionIds]}::text[]))
      and (target_name is not null or target_kind = 'group')
  `.execute(queries);
  return countAffectedRows(changed);
}

/** Removes the names of the group's people from audit events about their customer tokens. */
export async function eraseAuditActors(
  queries: ControlQueries,
  { projectId, groupRef }: ErasedGroup,
): Promise<number> {
  const changed = await sql`
    update audit_events set actor_group = null,
      actor_id = case when actor_id in (select id::text from api_keys where project_id = ${projectId}) then actor_id end,
      actor_name = case when actor_kind <> 'agent' then actor_name end,
      target_id = case when actor_kind <> 'agent' then target_id end,
      target_name = case when actor_kind <> 'agent' then target_name end
    where project_id = ${projectId} and actor_group = ${groupRef}
  `.execute(queries);
  return countAffectedRows(changed);
}

/** Removes the group's row, and the ids of its installations. */
export async function eraseGroupRow(queries: ControlQueries, { id }: ErasedGroup): Promise<void> {
  await sql`delete from removed_installations where group_id = ${id}`.execute(queries);
  await sql`delete from removed_connections where group_id = ${id}`.execute(queries);
  await sql`delete from groups where id = ${id}`.execute(queries);
}
