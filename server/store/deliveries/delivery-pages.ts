/** Lists the deliveries of a destination or of a project, newest event first. */
import { sql, type RawBuilder } from "kysely";
import { FIRST_ID } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import type { AttemptRecord, DeliveryState } from "./deliveries.ts";
import {
  DATA_HEAD,
  buildSubjectConditions,
  withSubjects,
  type DeliverySubject,
  type SubjectFilter,
} from "./delivery-subjects.ts";
import { limitToIdRange, type IdRange } from "../database/id-range.ts";

export interface DeliveryRow {
  destinationId: string;
  eventId: string;
  type: string;
  createTime: Date;
  state: DeliveryState;
  dueTime: Date;
  attempts: AttemptRecord[];
  subject: DeliverySubject;
}

export interface ListedDelivery extends DeliveryRow {
  destinationName: string;
}

export interface DeliveryFilter extends SubjectFilter {
  projectId: string;
  destinationId?: string | undefined;
  eventId?: string | undefined;
  state?: DeliveryState | undefined;
  /** Type of the event. */
  type?: string | undefined;
  /** Range of event ids; `before` may be a `deliveryToken`. */
  range: IdRange;
}

/** Matching rows, and where to continue if the scan ended before the list. */
interface ExaminedDeliveries {
  rows: ListedDelivery[];
  continueBefore?: string;
}

/** Builds the token of a position between deliveries: several deliveries have the same event. */
export const toDeliveryToken = (eventId: string, destinationId: string): string =>
  `${eventId}.${destinationId}`;

/** Rows that a statement scans for filters without an index: over all destinations, and at least for each. */
const MAX_SCANNED = 20_000;
const LEAST_LOOKED_AT = 200;

/**
 * Scans the newest deliveries of each destination: one page or, with filters that no index supports, a limited number.
 * Deliveries older than the oldest scanned one belong to the next page, for which it returns a token.
 */
export async function listDeliveries(
  queries: DataQueries,
  filter: DeliveryFilter,
): Promise<ExaminedDeliveries> {
  const { range, state } = filter;
  const ofEvent = buildEventConditions(filter);
  const isFiltered = ofEvent.length > 0 || state === "delivered";
  const max = isFiltered
    ? sql`(select greatest(${LEAST_LOOKED_AT}, ${MAX_SCANNED} / greatest(count(*), 1)) from owner)`
    : // The delivery that the token names comes in addition.
      sql`${range.limit + 1}`;
  const { rows } = await sql<FoundRow & { floorId: string | null }>`
    with owner as (
      select id, name from destinations
      where project_id = ${filter.projectId} ${filter.destinationId === undefined ? sql`` : sql`and id = ${filter.destinationId}`}
    ), scanned as materialized (${selectExamined(filter, max)}
    ), lowest as (
      select ${isFiltered ? sql`event_id` : sql`null::uuid as event_id`} from scanned
      where nth = ${max} order by 1 desc limit 1
    ), page as (
      select scanned.* from (
        select * from scanned
        where ${sql.join(buildConditions(filter), sql` and `)}
          and event_id >= coalesce((select event_id from lowest), ${FIRST_ID}::uuid)
        order by event_id desc, destination_id desc
      ) as scanned ${joinMatchingEvent(ofEvent)}
      order by scanned.event_id desc, scanned.destination_id desc limit ${range.limit}
    )
    select page.destination_id, owner.name as destination_name, page.event_id, events.type, events.create_time,
      page.state, coalesce(due_time, now()) as due_time, coalesce(attempts, '[]') as attempts,
      ${DATA_HEAD} as head, (select event_id from lowest) as floor_id
    from (select) as one left join (
      page join owner on owner.id = page.destination_id join events on events.id = page.event_id
      left join deliveries on deliveries.destination_id = page.destination_id and deliveries.event_id = page.event_id
    ) on true
    order by page.event_id desc, page.destination_id desc
  `.execute(queries);
  const floorId = rows[0]?.floorId;
  const found = rows.filter((row) => row.eventId !== null);
  return {
    rows: await withSubjects(queries, found),
    ...(floorId && { continueBefore: toDeliveryToken(floorId, FIRST_ID) }),
  };
}

function selectExamined(
  { state, eventId, range }: DeliveryFilter,
  max: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const bounds = sql.join(
    [
      limitToIdRange("event_id", { ...range, before: undefined, after: range.after?.slice(0, 36) }),
      ...(range.before === undefined ? [] : [sql`event_id <= ${range.before.slice(0, 36)}::uuid`]),
      ...(eventId === undefined ? [] : [sql`event_id = ${eventId}::uuid`]),
    ],
    sql` and `,
  );
  const first = sql`
    select destination_id, event_id, state, 0 as nth
    from first_deliveries join owner on owner.id = destination_id where ${bounds}`;
  // The index of the few rows in this state does not contain their destinations.
  if (state === "sending")
    return sql`
      select destination_id, event_id, state, 0 as nth
      from (select * from deliveries where state = 'sending' offset 0) as sent join owner on owner.id = destination_id
      where ${bounds}
      union all ${first}`;
  const isOpen = state === "waiting" || state === "failed";
  const rows = sql`
    select newest.* from owner cross join lateral (
      select destination_id, event_id, state, row_number() over (order by event_id desc) as nth from deliveries
      where destination_id = owner.id and ${bounds} ${isOpen ? sql`and state = ${sql.lit(state)}` : sql``}
      order by event_id desc limit ${max}
    ) as newest`;
  return state === undefined ? sql`${rows} union all ${first}` : rows;
}

function buildConditions({ state, range }: DeliveryFilter): RawBuilder<unknown>[] {
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (range.before?.includes(".")) {
    const [eventId, destinationId] = range.before.split(".");
    all.push(sql`(scanned.event_id, scanned.destination_id) < (${eventId}::uuid, ${destinationId}::uuid)`);
  } else if (range.before !== undefined) all.push(sql`event_id < ${range.before}::uuid`);
  if (state === "delivered") all.push(sql`state = 'delivered'`);
  return all;
}

const buildEventConditions = ({ type, ...filter }: DeliveryFilter): RawBuilder<unknown>[] => [
  ...(type === undefined ? [] : [sql`events.type = ${type}`]),
  ...buildSubjectConditions(filter),
];

/** Joins the event of each row. With a plain join, the planner may read all matching events, of all times and projects. */
const joinMatchingEvent = (wanted: RawBuilder<unknown>[]): RawBuilder<unknown> =>
  wanted.length === 0
    ? sql``
    : sql`cross join lateral (
        select from events where events.id = scanned.event_id and ${sql.join(wanted, sql` and `)} offset 0) as matching`;

type FoundRow = Omit<ListedDelivery, "subject"> & { head: string };
