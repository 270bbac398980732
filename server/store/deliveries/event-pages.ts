/** Lists events and data messages, newest first, and where each was sent. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import type { DeliveryState } from "./deliveries.ts";
import { DATA_HEAD, hasMember, HEAD, IS_MESSAGE } from "./delivery-subjects.ts";
import { containsText, limitToIdRange, type IdRange } from "../database/id-range.ts";

export interface ListedEvent {
  id: string;
  type: string;
  /** JSON text; in lists, only the beginning of a data message, for `readMembers`. */
  data: string;
  /** Reason why the event had no destination when it was routed. */
  missing: "topic" | "destination" | null;
}

interface EventFilter {
  projectId: string;
  /** Types of events to list. */
  types: readonly string[];
  /** Types of data messages to list. */
  messageTypes: readonly string[];
  /** Members of the data, with the wanted values. */
  members: Record<string, string>;
  nowhere?: boolean | undefined;
  text?: string | undefined;
  range: IdRange;
}

/** Events that one statement scans for filters without an index. */
const MAX_SCANNED = 20_000;

/** Lists the newest events of the types. `continueBefore` is set if the scan ended at its limit before the page was full. */
export async function listEvents(
  queries: DataQueries,
  filter: EventFilter,
): Promise<{ rows: ListedEvent[]; continueBefore?: string }> {
  const range = await narrowRange(queries, filter);
  if (!range) return { rows: [] };
  const searches =
    filter.nowhere !== undefined || filter.text !== undefined || Object.keys(filter.members).length > 0;
  // "offset 0" prevents the planner from reading all events to join them.
  const newest = selectNewestIds(filter, range, searches ? MAX_SCANNED : range.limit);
  const { rows } = await sql<ListedEvent>`
    select events.id, type, ${DATA_HEAD} as data, mark.missing
    from (${newest}) as newest cross join lateral (
      select id, type, data, destination_id from events where events.id = newest.id
      ${filter.nowhere ? sql`and type = any(${[...filter.types]}::text[])` : sql``} offset 0
    ) as events
    left join events_nowhere as mark on mark.project_id = ${filter.projectId} and mark.event_id = events.id
    where ${sql.join(buildConditions(filter), sql` and `)}
    order by newest.id desc limit ${range.limit}
  `.execute(queries);
  if (!searches || rows.length >= range.limit) return { rows };
  const last = await sql<{ id: string }>`
    select id from (${newest}) as newest offset ${MAX_SCANNED - 1}
  `.execute(queries);
  const token = last.rows[0]?.id;
  return { rows, ...(token !== undefined && { continueBefore: token }) };
}

/**
 * Selects the ids of the newest events, by index alone. Each type has a limit of its own: without it, the planner may read
 * all events of a project to sort them.
 */
const selectNewestIds = (
  { projectId, types, messageTypes, nowhere }: EventFilter,
  range: IdRange,
  max: number,
): RawBuilder<unknown> => {
  if (nowhere)
    return sql`
        select event_id as id from events_nowhere
        where project_id = ${projectId} and ${limitToIdRange("event_id", range)}
        order by event_id desc limit ${max}`;
  const ofTypes = sql`
        select found.id from unnest(${[...types]}::text[]) as wanted (type) cross join lateral (
          select id from events
          where project_id = ${projectId} and type = wanted.type and destination_id is null and ${limitToIdRange("id", range)}
          order by id desc limit ${max}
        ) as found`;
  const messages = sql`
        select found.id from destinations cross join lateral (
          select id from events
          where destination_id = destinations.id and type = any(${[...messageTypes]}::text[]) and ${limitToIdRange("id", range)}
          order by id desc limit ${max}
        ) as found where destinations.project_id = ${projectId}`;
  return sql`${messageTypes.length > 0 ? sql`(${ofTypes}) union all (${messages})` : ofTypes} order by id desc limit ${max}`;
};

function buildConditions({ members, nowhere, text }: EventFilter): RawBuilder<unknown>[] {
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (nowhere !== undefined) all.push(nowhere ? sql`mark.missing is not null` : sql`mark.missing is null`);
  for (const [name, value] of Object.entries(members)) {
    all.push(hasMember(name, value));
  }
  if (text !== undefined) all.push(hasText(text));
  return all;
}

/** Selects whether the data contains a text. Searches the whole before its members, because that costs much less. */
function hasText(text: string): RawBuilder<unknown> {
  const inMember = sql`exists (select from json_each_text(data) as member where ${containsText(["member.value"], text)})`;
  // JSON escapes the other characters, so a member may contain the text although the whole does not.
  const isPlain = /^[\x20-\x7e]*$/.test(text) && !/["\\]/.test(text);
  const inData = isPlain ? sql`(${containsText(["data"], text)} and ${inMember})` : inMember;
  return sql`(${containsText(["events.id", "type"], text)} or case when ${IS_MESSAGE}
    then ${containsText([HEAD], text)} else ${inData} end)`;
}

/**
 * Narrows the range to the time around the end of an operation, which an event with its id reports. Returns undefined if there
 * is no such operation.
 */
async function narrowRange(
  queries: DataQueries,
  { projectId, messageTypes, members, range }: EventFilter,
): Promise<IdRange | undefined> {
  const { operationId } = members;
  // Messages are created while their operation goes on.
  if (operationId === undefined || messageTypes.length > 0) return range;
  if (!isUuid(operationId)) return undefined;
  const operation = await queries
    .selectFrom("operations")
    .select("updateTime")
    .where("projectId", "=", projectId)
    .where("id", "=", operationId)
    .executeTakeFirst();
  if (!operation?.updateTime) return undefined;
  const endMs = operation.updateTime.getTime();
  return {
    ...range,
    ...chooseLatest(range.since, new Date(endMs - EARLIER_MS)),
    ...chooseEarliest(range.until, new Date(endMs + LATER_MS)),
  };
}

/** The event is created before the statement that ends the operation, which may wait for the database. */
const EARLIER_MS = 5 * 60_000;
/** The clocks of processes and database differ. */
const LATER_MS = 5_000;

const chooseLatest = (since: Date | undefined, from: Date) => ({
  since: since && since > from ? since : from,
});
const chooseEarliest = (until: Date | undefined, to: Date) => ({ until: until && until < to ? until : to });

/** Finds an event or a data message of a project. */
export async function findEvent(
  queries: DataQueries,
  projectId: string,
  id: string,
): Promise<ListedEvent | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ListedEvent>`
    select id, type, data::text as data, missing
    from events left join events_nowhere as mark on mark.project_id = events.project_id and mark.event_id = id
    where events.project_id = ${projectId} and id = ${id}
  `.execute(queries);
  return rows[0];
}

export interface EventDelivery {
  eventId: string;
  destinationId: string;
  destinationName: string;
  state: DeliveryState;
}

/** Lists the deliveries of events to the destinations that the project has now. */
export async function listDeliveriesOfEvents(
  queries: DataQueries,
  projectId: string,
  eventIds: string[],
): Promise<EventDelivery[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<EventDelivery>`
    select event_id, destinations.id as destination_id, destinations.name as destination_name, state
    from destinations join lateral (
      select event_id, state from deliveries
      where deliveries.destination_id = destinations.id and event_id = any(${eventIds}::uuid[])
      union all
      select event_id, state from first_deliveries as first
      where first.destination_id = destinations.id and event_id = any(${eventIds}::uuid[])
    ) as delivery on true
    where project_id = ${projectId}
    order by destinations.name
  `.execute(queries);
  return rows;
}

/** Lists the topics that an event was published under, by the names that they had when it was routed. */
export async function listTopicsOfEvent(
  queries: DataQueries,
  eventId: string,
): Promise<{ id: string; name: string }[]> {
  return queries
    .selectFrom("eventTopics")
    .select(["topicId as id", "topicName as name"])
    .where("eventId", "=", eventId)
    .orderBy("topicName")
    .execute();
}
