/**
 * Outcomes of a subscription's events as the API reports them: the stored outcome or, for events in a message, the state of its
 * delivery. Only what the receiver accepted is `delivered`.
 */
import { sql } from "kysely";

export const OUTCOMES = [
  "received",
  "filtered",
  "repeated",
  "queued",
  "in_message",
  "delivered",
  "refused",
  "given_up",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Whether one of the attempts succeeded; a resent delivery keeps its attempts. */
const WAS_ACCEPTED = sql`jsonb_path_exists(delivery.attempts,
  '$[*] ? (!exists(@.error) && (!exists(@.status) || (@.status >= 200 && @.status < 300)))')`;

/** Outcome of a message's events, by the row `delivery` of its delivery, which must exist. */
export const OUTCOME_OF_DELIVERY = sql`case
  when delivery.state = 'delivered' or ${WAS_ACCEPTED} then 'delivered'
  when delivery.state = 'failed' then 'given_up'
  when delivery.attempts -> -1 -> 'status' is not null then 'refused'
  else 'in_message' end`;

/** Outcome of a row `event` of a subscription's events, joined by `OUTCOME_JOINS`. */
export const OUTCOME = sql<Outcome>`case
  when event.outcome is null then
    case when subscriptions.state = 'active' and coalesce(subscriptions.retry_time <= now(), true) then 'received' else 'queued' end
  when event.outcome in ('filtered', 'repeated') then event.outcome
  when event.outcome = 'expired' then 'given_up'
  when delivery.state is not null then ${OUTCOME_OF_DELIVERY}
  when message.id is not null then 'in_message'
  -- The message was removed for its age, or with its destination.
  when undelivered.message_id is not null then 'given_up'
  else 'delivered' end`;

/** Joins a row `event` with its subscription, its message, and the message's delivery and destination. */
export const OUTCOME_JOINS = sql`
  left join subscriptions on event.outcome is null and subscriptions.installation_id = event.installation_id
    and subscriptions.object_name = event.object_name
  left join events as message on message.id = event.message_id
  left join deliveries as delivery on delivery.destination_id = message.destination_id and delivery.event_id = message.id
  left join destinations on destinations.id = message.destination_id
  left join undelivered_changes as undelivered on undelivered.message_id = event.message_id`;

/** Lists the stored outcomes of events that may be reported with this outcome; null if such events have none yet. */
export function listStoredOutcomes(outcome: Outcome): readonly string[] | null {
  if (outcome === "received" || outcome === "queued") return null;
  if (outcome === "filtered" || outcome === "repeated") return [outcome];
  return ["delivered", "coalesced", ...(outcome === "given_up" ? ["expired"] : [])];
}
