/** Performs one attempt: sends a message to a destination, measures it, and decides what happens next. */
import type { Channel, Message, Outcome } from "../../destination-kit/destination.ts";
import { elapsedMs, now } from "../../ground/clock.ts";
import { shorten } from "../../ground/storable-text.ts";
import type { OpenDestination } from "./destinations/channels.ts";
import type { AttemptResult } from "./delivery-result.ts";
import type { Retry } from "./retry-schedule.ts";
import { readMessage } from "../../ground/errors.ts";

/** An error text may quote a long answer of the receiver. */
const LONGEST_ERROR = 1_000;

/**
 * Sends a message once. Never throws: a failure is an outcome. `failures` counts the failed attempts before this one. The message
 * goes through `channel`, which is the destination's own unless it shares a batch.
 */
export async function attemptDelivery(
  destination: OpenDestination,
  message: Message,
  failures: number,
  retry: Retry,
  channel: Pick<Channel, "deliver"> = destination.channel,
): Promise<AttemptResult> {
  const time = now().toISOString();
  const started = elapsedMs();
  const outcome = await send(channel, message);
  const { status, error, answer, sent } = outcome;
  const retryInMs = outcome.kind === "failed" ? retry(failures, outcome) : undefined;
  return {
    kind: "attempted",
    destinationId: message.destinationId,
    eventId: message.id,
    state: outcome.kind === "delivered" ? "delivered" : retryInMs === undefined ? "failed" : "waiting",
    retryInMs: retryInMs ?? 0,
    attempt: {
      time,
      durationMs: Math.round(elapsedMs() - started),
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error: shorten(error, LONGEST_ERROR) }),
      ...(answer && { answer }),
      ...(sent && { sent }),
    },
    acceptsChanges: message.kind === "data" && outcome.kind === "delivered",
    outcome,
    destination,
  };
}

async function send(channel: Pick<Channel, "deliver">, message: Message): Promise<Outcome> {
  try {
    return await channel.deliver(message);
  } catch (error) {
    return { kind: "failed", error: readMessage(error) };
  }
}
