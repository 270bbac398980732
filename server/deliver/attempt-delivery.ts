/** One attempt: hands a message over, measures it, and decides what happens next. */
import type { Message, Outcome } from "../../destination-kit/destination.ts";
import { elapsedMs, now } from "../ground/clock.ts";
import { shorten } from "../ground/storable-text.ts";
import type { FinishedAttempt } from "../store/deliveries.ts";
import type { OpenDestination } from "./channels.ts";
import type { Retry } from "./retry-schedule.ts";

/** Errors are sentences; what somebody else put into one may be long. */
const LONGEST_ERROR = 1_000;

/** What becomes of a delivery that somebody had. */
export interface DeliveryResult {
  finished: FinishedAttempt;
  /** What came of the attempt, for the destination; without it none was made. */
  made?: { outcome: Outcome; destination: OpenDestination };
  /** The batch that it belongs to, on its first attempt. */
  batchId?: string | undefined;
}

/** Never throws: what goes wrong is the outcome. `failures` counts those before this attempt. */
export async function attemptDelivery(
  destination: OpenDestination,
  message: Message,
  failures: number,
  retry: Retry,
): Promise<DeliveryResult & Required<Pick<DeliveryResult, "made">>> {
  const time = now().toISOString();
  const started = elapsedMs();
  const outcome = await handOver(destination, message);
  const { status, error, answer } = outcome;
  const delayMs = outcome.kind === "failed" ? retry(failures, outcome) : undefined;
  const finished: FinishedAttempt = {
    destinationId: message.destinationId,
    eventId: message.id,
    state: outcome.kind === "delivered" ? "delivered" : delayMs === undefined ? "failed" : "waiting",
    delayMs: delayMs ?? 0,
    attempt: {
      time,
      durationMs: Math.round(elapsedMs() - started),
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error: shorten(error, LONGEST_ERROR) }),
      ...(answer && { answer }),
    },
  };
  return { finished, made: { outcome, destination } };
}

async function handOver({ channel }: OpenDestination, message: Message): Promise<Outcome> {
  try {
    return await channel.deliver(message);
  } catch (error) {
    return { kind: "failed", error: error instanceof Error ? error.message : String(error) };
  }
}
