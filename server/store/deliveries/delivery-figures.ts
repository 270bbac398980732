/** Figures about the deliveries of destinations: waiting and failed ones, and the time of the last success. */
import { sql } from "kysely";
import { buildFirstId } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import type { DestinationRow } from "./destinations.ts";

export interface DeliveryFigures {
  /** Number of deliveries that are being sent or due later. */
  waiting: number;
  failed: number;
  lastDeliveredTime: Date | undefined;
}

/** Limit of both counts of a destination, so that they cost little after a long outage. */
export const MAX_COUNTED = 10_000;

/** Number of deliveries in which the last success is searched. */
const MAX_SCANNED = 1_000;

/**
 * Returns the figures of destinations by id. The last success is searched among the newest deliveries and before the failures;
 * an older one is not found.
 */
export async function readDeliveryFigures(
  queries: DataQueries,
  destinations: Pick<DestinationRow, "id" | "failingSince">[],
): Promise<Map<string, DeliveryFigures>> {
  const ids = destinations.map(({ id }) => id);
  const failingFrom = destinations.map(
    ({ failingSince }) => failingSince && buildFirstId(failingSince.getTime()),
  );
  const { rows } = await sql<{ id: string; waiting: number; failed: number; lastDeliveredTime: Date | null }>`
    with sent as (
      select destination_id, count(*) as count from (
        select destination_id from deliveries where state = 'sending'
        union all select destination_id from first_deliveries
      ) as open group by destination_id
    )
    select id, failed.count::integer as failed,
      least(${MAX_COUNTED}, waiting.count + coalesce(sent.count, 0))::integer as waiting,
      coalesce(newest.time, earlier.time) as last_delivered_time
    from unnest(${ids}::uuid[], ${failingFrom}::uuid[]) as asked (id, failing_from)
    left join sent on sent.destination_id = id
    cross join lateral (
      select count(*) from (
        select from deliveries where destination_id = id and state = 'waiting' limit ${MAX_COUNTED}
      ) as few
    ) as waiting
    cross join lateral (
      select count(*) from (
        select from deliveries where destination_id = id and state = 'failed' limit ${MAX_COUNTED}
      ) as few
    ) as failed
    left join lateral (
      select (attempts -> -1 ->> 'time')::timestamptz as time from (
        select state, attempts from deliveries where destination_id = id
        order by event_id desc limit ${MAX_SCANNED}
      ) as few where state = 'delivered' limit 1
    ) as newest on true
    left join lateral (
      select (attempts -> -1 ->> 'time')::timestamptz as time from (
        select state, attempts from deliveries where destination_id = id and event_id < failing_from
        order by event_id desc limit ${MAX_SCANNED}
      ) as few where state = 'delivered' limit 1
    ) as earlier on true
  `.execute(queries);
  return new Map(
    rows.map(({ id, waiting, failed, lastDeliveredTime }) => [
      id,
      { waiting, failed, lastDeliveredTime: lastDeliveredTime ?? undefined },
    ]),
  );
}
