/** Lists deliveries and resends them, for the API. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../ground/ids.ts";
import type { Queries } from "./database.ts";
import type { DeliveryState } from "./deliveries.ts";

export interface DeliveryRow {
  destinationId: string;
  eventId: string;
  type: string;
  createTime: Date;
  state: DeliveryState;
  dueTime: Date;
  attempts: { time: string; durationMs: number; status?: number; error?: string; answer?: string }[];
}

const COLUMNS = sql`
  delivery.destination_id, delivery.event_id, events.type, events.create_time, state, due_time, attempts
`;

/** Lists deliveries, newest event first; `before` is the event id of the last row of the previous page. */
export async function listDeliveries(
  queries: Queries,
  page: { destinationId: string; state?: DeliveryState; before?: string; limit: number },
): Promise<DeliveryRow[]> {
  const state = page.state === undefined ? sql`` : sql`and state = ${page.state}`;
  const before = page.before === undefined ? sql`` : sql`and event_id < ${page.before}`;
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from all_deliveries as delivery join events on events.id = event_id
    where delivery.destination_id = ${page.destinationId} ${state} ${before}
    order by event_id desc limit ${page.limit}
  `.execute(queries);
  return rows;
}

/** Lists the unfinished deliveries of a project (`sending` and `waiting`), the next to be attempted first. */
export async function listWaitingDeliveries(
  queries: Queries,
  projectId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  const rowsIn = (state: DeliveryState): RawBuilder<unknown> => sql`
    select open.* from destinations cross join lateral (
      select destination_id, event_id, state, due_time, attempts from deliveries
      where destination_id = destinations.id and state = ${sql.lit(state)}
      order by due_time limit ${limit}
    ) as open
    where destinations.project_id = ${projectId}
  `;
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from (
      ${rowsIn("sending")}
      union all ${rowsIn("waiting")}
      union all
      select first.destination_id, event_id, state, due_time, attempts
      from first_deliveries as first join destinations on destinations.id = first.destination_id
      where destinations.project_id = ${projectId}
    ) as delivery
    join events on events.id = event_id
    order by due_time limit ${limit}
  `.execute(queries);
  return rows;
}

/** Finds a delivery with the JSON text of its event's data. */
export async function findDelivery(
  queries: Queries,
  destinationId: string,
  eventId: string,
): Promise<(DeliveryRow & { data: string }) | undefined> {
  if (!isUuid(eventId)) return undefined;
  const { rows } = await sql<DeliveryRow & { data: string }>`
    select ${COLUMNS}, events.data::text as data
    from all_deliveries as delivery join events on events.id = event_id
    where delivery.destination_id = ${destinationId} and event_id = ${eventId}
  `.execute(queries);
  return rows[0];
}

/** Lower than every id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const resend = sql`
  with told as (select pg_notify('busbar_changes', '{"table":"deliveries","id":""}'))
  update deliveries set state = 'waiting', due_time = now(), failures = 0 from told
`;

/** Starts a finished delivery from the beginning, makes a waiting one due at once; returns whether there was either. */
export async function resendDelivery(
  queries: Queries,
  destinationId: string,
  eventId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    ${resend} where destination_id = ${destinationId} and event_id = ${eventId} and state <> 'sending'
  `.execute(queries);
  return (numAffectedRows ?? 0n) > 0n;
}

/**
 * Resends deliveries of a destination in these states whose events lie in a range, up to `limit` of the oldest. Returns
 * the last event, after which the next call continues.
 */
export async function resendDeliveries(
  queries: Queries,
  range: {
    destinationId: string;
    states: DeliveryState[];
    fromId: string;
    /** The last event of the previous call. */
    afterId?: string;
    untilId: string;
    limit: number;
  },
): Promise<{ count: number; lastEventId: string | undefined }> {
  const { rows } = await sql<{ eventId: string }>`
    ${resend}, (
      select event_id from deliveries
      where destination_id = ${range.destinationId} and state = any(${range.states}::text[])
        and event_id >= ${range.fromId} and event_id < ${range.untilId}
        and event_id > ${range.afterId ?? FIRST_ID}
      order by event_id limit ${range.limit} for update skip locked
    ) as chosen
    where destination_id = ${range.destinationId} and deliveries.event_id = chosen.event_id
    returning deliveries.event_id
  `.execute(queries);
  const ids = rows.map((row) => row.eventId).toSorted();
  return { count: ids.length, lastEventId: ids.at(-1) };
}
