/** Finds and resends deliveries, for the API. */
import { sql, type RawBuilder } from "kysely";
import { FIRST_ID, isUuid } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import type { DeliveryState } from "./deliveries.ts";
import type { DeliveryRow } from "./delivery-pages.ts";
import { DATA_HEAD, withSubjects } from "./delivery-subjects.ts";
import { EVENT_KIND, type StoredEvent } from "./events.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { countAffectedRows } from "../database/database.ts";

const COLUMNS = sql`
  delivery.destination_id, delivery.event_id, events.type, events.create_time, state, due_time, attempts, ${DATA_HEAD} as head
`;

type FoundRow = Omit<DeliveryRow, "subject"> & { head: string };

/** Lists the unfinished deliveries of a project (`sending` and `waiting`), the next to be attempted first. */
export async function listWaitingDeliveries(
  queries: DataQueries,
  projectId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  const selectRows = (state: DeliveryState): RawBuilder<unknown> => sql`
    select open.* from destinations cross join lateral (
      select destination_id, event_id, state, due_time, attempts from deliveries
      where destination_id = destinations.id and state = ${sql.lit(state)}
      order by due_time limit ${limit}
    ) as open
    where destinations.project_id = ${projectId}
  `;
  const { rows } = await sql<FoundRow>`
    select ${COLUMNS} from (
      ${selectRows("sending")}
      union all ${selectRows("waiting")}
      union all
      select first.destination_id, event_id, state, due_time, attempts
      from first_deliveries as first join destinations on destinations.id = first.destination_id
      where destinations.project_id = ${projectId}
    ) as delivery
    join events on events.id = event_id
    order by due_time limit ${limit}
  `.execute(queries);
  return withSubjects(queries, rows);
}

/** Delivery with the JSON text and the kind of its event. */
type FoundDelivery = DeliveryRow & Pick<StoredEvent, "data" | "kind">;

/** Finds a delivery with the JSON text of its event's data. */
export async function findDelivery(
  queries: DataQueries,
  destinationId: string,
  eventId: string,
): Promise<FoundDelivery | undefined> {
  if (!isUuid(eventId)) return undefined;
  const { rows } = await sql<FoundRow & Pick<StoredEvent, "data" | "kind">>`
    select ${COLUMNS}, events.data::text as data, ${EVENT_KIND} as kind
    from all_deliveries as delivery join events on events.id = event_id
    where delivery.destination_id = ${destinationId} and event_id = ${eventId}
  `.execute(queries);
  return (await withSubjects(queries, rows))[0];
}

const resend = sql`
  update deliveries set state = 'waiting', due_time = now(), failures = 0
`;

/**
 * Makes up to `max` failed deliveries that wait for a retry due at once, oldest event first; returns their number. One failure
 * is subtracted from each, so that a message which fails again is not given up sooner. A single delivery keeps its schedule
 * unless `evenOne` is set.
 */
export async function hastenDeliveries(
  queries: DataQueries,
  { destinationId, max, evenOne }: { destinationId: string; max: number; evenOne: boolean },
): Promise<number> {
  const result = await sql`
    with waiting as (
      select event_id, row_number() over (order by event_id) as place, count(*) over () as number
      from deliveries
      where destination_id = ${destinationId} and state = 'waiting' and due_time > now() and failures > 0
      order by event_id limit ${max}
    )
    update deliveries
    set due_time = now() - interval '1 hour' + waiting.place * interval '1 millisecond', failures = failures - 1
    from waiting
    where destination_id = ${destinationId} and deliveries.event_id = waiting.event_id
      and state = 'waiting' and (${evenOne} or waiting.number > 1)
    returning ${buildWakeColumn("deliveries")}
  `.execute(queries);
  return countAffectedRows(result);
}

/** Restarts a finished delivery, or makes a waiting one due at once; returns whether there was either. */
export async function resendDelivery(
  queries: DataQueries,
  destinationId: string,
  eventId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    ${resend} where destination_id = ${destinationId} and event_id = ${eventId} and state <> 'sending'
    returning ${buildWakeColumn("deliveries")}
  `.execute(queries);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Choice of a destination's deliveries to resend. Waiting deliveries that are due already are left out. */
export interface ResendChoice {
  destinationId: string;
  states: DeliveryState[];
  /** Range of event ids: the first one, and the first after the range. */
  fromId: string;
  untilId: string;
  /** Ids of events. */
  ids?: string[];
  /** Type of the events. */
  type?: string;
}

const selectChosen = ({
  destinationId,
  states,
  fromId,
  untilId,
  ids,
  type,
}: ResendChoice): RawBuilder<unknown> => sql`
  select event_id from deliveries
  where destination_id = ${destinationId} and state = any(${states}::text[])
    and event_id >= ${fromId} and event_id < ${untilId} and (state <> 'waiting' or due_time > now())
    ${ids === undefined ? sql`` : sql`and event_id = any(${ids}::uuid[])`}
    ${type === undefined ? sql`` : sql`and exists (select from events where events.id = event_id and events.type = ${type})`}
`;

/** Counts the deliveries that `resendDeliveries` would resend. */
export async function countResendable(queries: DataQueries, choice: ResendChoice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${selectChosen(choice)}) as chosen
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Resends up to `limit` of the oldest. Returns the last event, behind which the next call continues. */
export async function resendDeliveries(
  queries: DataQueries,
  /** `afterId`: last event of the previous call. */
  choice: ResendChoice & { afterId?: string; limit: number },
): Promise<{ count: number; lastEventId: string | undefined }> {
  const { destinationId, afterId = FIRST_ID, limit } = choice;
  const { rows } = await sql<{ eventId: string }>`
    ${resend} from (
      ${selectChosen(choice)} and event_id > ${afterId}
      order by event_id limit ${limit} for update skip locked
    ) as chosen
    where destination_id = ${destinationId} and deliveries.event_id = chosen.event_id
    returning deliveries.event_id, ${buildWakeColumn("deliveries")}
  `.execute(queries);
  const ids = rows.map((row) => row.eventId).toSorted();
  return { count: ids.length, lastEventId: ids.at(-1) };
}
