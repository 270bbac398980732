/** Subjects of deliveries: customer, integration, object and number of records, by the members of their event's data. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { SharedQueries } from "../database/sides.ts";

/** Subject of an event or data message; unknown members are absent. */
export interface DeliverySubject {
  groupRef?: string;
  /** Name of the integration. */
  integration?: string;
  /** The provider's name of the object. */
  object?: string;
  /** Number of records or changes in a data message. */
  records?: number;
}

export const DELIVERY_KINDS = ["read", "subscribe", "schema", "notification"] as const;
type DeliveryKind = (typeof DELIVERY_KINDS)[number];

const TYPES = { read: "read", subscribe: "subscribe", schema: "schema.watch" } as const;

export function toDeliveryKind(type: string): DeliveryKind {
  if (type === TYPES.schema) return "schema";
  return type === TYPES.read || type === TYPES.subscribe ? type : "notification";
}

export interface SubjectFilter {
  groupRef?: string | undefined;
  integrationId?: string | undefined;
  /** Name of the object at the provider, or in messages. */
  object?: string | undefined;
  kind?: DeliveryKind | undefined;
}

/** Beginning of the data, for large messages: a message has its subject among its first members. */
export const HEAD = sql`substr(events.data::text, 1, 2000)`;
export const IS_MESSAGE = sql`events.destination_id is not null`;

/** Returns the conditions on a row of `events`; the cheap ones come first. */
export function buildSubjectConditions(filter: SubjectFilter): RawBuilder<unknown>[] {
  const { groupRef, integrationId, object, kind } = filter;
  const all: RawBuilder<unknown>[] = [];
  if (kind === "notification") all.push(sql`not (${IS_MESSAGE})`);
  else if (kind !== undefined) all.push(sql`(${IS_MESSAGE} and events.type = ${TYPES[kind]})`);
  if (groupRef !== undefined) all.push(hasMember("groupRef", groupRef));
  if (object !== undefined)
    all.push(sql`(${hasMember("objectName", object)} or ${hasMember("rawObjectName", object)})`);
  if (integrationId !== undefined) all.push(isOfIntegration(integrationId));
  return all;
}

/** Selects the first member of a name. A message's own members come before its records, so the first one is its own. */
const selectFirstMember = (name: string): RawBuilder<unknown> =>
  sql`substring(${HEAD} from ${sql.lit(String.raw`"${name}":"((?:[^"\\]|\\.)*)"`)})`;

/** Selects whether the data of a row of `events` has this member. */
export function hasMember(name: string, value: string): RawBuilder<unknown> {
  const escaped = JSON.stringify(value).slice(1, -1);
  return sql`case when ${IS_MESSAGE}
    then strpos(${HEAD}, ${`"${name}":"${escaped}"`}) > 0 and ${selectFirstMember(name)} = ${escaped}
    else strpos(events.data::text, ${JSON.stringify(value)}) > 0 and events.data ->> ${sql.lit(name)} = ${value} end`;
}

/** Selects whether an event is about the integration. Messages name their installation only. */
const isOfIntegration = (integrationId: string): RawBuilder<unknown> => sql`case when ${IS_MESSAGE}
  then ${selectFirstMember("installationId")} in (
    select id::text from installations where integration_id = ${integrationId}
    union all select id::text from removed_installations where integration_id = ${integrationId})
  else coalesce(events.data ->> 'integrationId' = ${integrationId}, false) end`;

/** Data of an event, or the beginning of a message's data, as `head`. */
export const DATA_HEAD = sql`case when ${IS_MESSAGE} then substr(events.data::text, 1, 16000) else events.data::text end`;

/** Adds the subjects to rows. */
export async function withSubjects<Row extends { head: string }>(
  queries: SharedQueries,
  rows: Row[],
): Promise<(Row & { subject: DeliverySubject })[]> {
  const members = rows.map(({ head }) => readMembers(head));
  const ids = members.flatMap((one) => getText(one, "installationId") ?? []).filter(isUuid);
  const integrations = await listIntegrationNames(queries, [...new Set(ids)]);
  return rows.map((row, index) => ({ ...row, subject: toSubject(members[index] ?? {}, integrations) }));
}

/** Reads the members before the records from what `DATA_HEAD` selects. */
export function readMembers(head: string): JsonObject {
  const end = /,"result":[[{]/.exec(head);
  try {
    const value: unknown = JSON.parse(end ? `${head.slice(0, end.index)}}` : head);
    return isJsonObject(value) ? value : {};
  } catch {
    // The beginning ends inside names of more than 10,000 characters.
    return {};
  }
}

function toSubject(members: JsonObject, integrations: ReadonlyMap<string, string>): DeliverySubject {
  const integration =
    getText(members, "integrationName") ?? integrations.get(getText(members, "installationId") ?? "");
  const groupRef = getText(members, "groupRef");
  const object = getText(members, "rawObjectName") ?? getText(members, "objectName");
  const info = members["resultInfo"];
  const records = isJsonObject(info) ? info["numRecords"] : undefined;
  return {
    ...(groupRef !== undefined && { groupRef }),
    ...(integration !== undefined && { integration }),
    ...(object !== undefined && { object }),
    ...(typeof records === "number" && { records }),
  };
}

const getText = (members: JsonObject, name: string): string | undefined => {
  const value = members[name];
  return typeof value === "string" ? value : undefined;
};

/** Returns names of the integrations of installations, removed ones included, by the installation's id. */
async function listIntegrationNames(
  queries: SharedQueries,
  installationIds: string[],
): Promise<Map<string, string>> {
  if (installationIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string }>`
    select id, integration_name as name from removed_installations where id = any(${installationIds}::uuid[])
    union all
    select installations.id, integrations.name
    from installations join integrations on integrations.id = installations.integration_id
    where installations.id = any(${installationIds}::uuid[])
  `.execute(queries);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
