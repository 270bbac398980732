/** Tracks which destinations fail, disables webhooks that have failed for too long, and sends at once what waits for one that is back. */
import { hastenDeliveries } from "../../store/deliveries/delivery-lists.ts";
import { type BegunFailure, markFailing, markWorking } from "../../store/deliveries/destinations.ts";
import type { AttemptResult } from "../delivery-result.ts";
import { disableDestinations, type DisableServices } from "./disable-destinations.ts";
import type { Log } from "../../../ground/log.ts";
import type { ControlQueries, DataQueries } from "../../store/database/sides.ts";
import type { UnsyncedPool } from "../../store/database/unsynced-pool.ts";

interface HealthServices extends DisableServices {
  /** Queries whose loss does no harm: the next attempt says the same. */
  unsynced: Pick<UnsyncedPool, "control" | "data">;
}

const OUTAGE_SECONDS = 5;
const MAX_CONCURRENT = 2_000;
/** It stands in lists of customers. Attempts have the whole text. */
const LONGEST_REASON = 300;

export class DestinationHealth {
  readonly #deps: HealthServices;
  /** Destinations that are stored as failing, as far as this process knows. */
  readonly #failing = new Set<string>();

  constructor(deps: HealthServices) {
    this.#deps = deps;
  }

  /** Remembers what was read from the database. */
  saw(destinationId: string, failing: boolean): void {
    if (failing) this.#failing.add(destinationId);
    else this.#failing.delete(destinationId);
  }

  /** Stores which destinations have begun or ceased to fail. One success outweighs all failures beside it. */
  async judge(attempts: AttemptResult[]): Promise<void> {
    const succeeded = listIds(attempts.filter(({ outcome }) => outcome.kind === "delivered"));
    const failures = attempts.filter(({ destinationId }) => !succeeded.has(destinationId));
    const recovered = [...succeeded].filter((id) => this.#failing.has(id));
    const begun = listFirstFailures(failures).filter(({ id }) => !this.#failing.has(id));
    const { unsynced, log } = this.#deps;
    await bringBack({ ...unsynced, log }, recovered);
    await markFailing(unsynced.control, begun);
    recovered.forEach((id) => this.#failing.delete(id));
    begun.forEach(({ id }) => this.#failing.add(id));
    const ofWebhooks = failures.filter(({ destination }) => destination.type.disables);
    if (ofWebhooks.length > 0) await disableDestinations(this.#deps, ofWebhooks);
  }
}

/**
 * Stores that destinations accept messages again, and makes what failed while they were away due at once. A single message that failed
 * for a moment keeps its schedule: the receiver may refuse just this one, and each success beside it would send it again.
 */
export async function bringBack(
  { control, data, log }: { control: ControlQueries; data: DataQueries; log: Log },
  ids: string[],
): Promise<void> {
  const back = await markWorking(control, ids);
  await Promise.all(
    back.map(({ id, failedSeconds }) =>
      sendWaiting({ data, log }, { id, evenOne: failedSeconds >= OUTAGE_SECONDS }),
    ),
  );
}

/** Makes what failed and waits for a destination due at once; a single message only if `evenOne` is set. Never rejects. */
export async function sendWaiting(
  { data, log }: { data: DataQueries; log: Log },
  { id, evenOne }: { id: string; evenOne: boolean },
): Promise<void> {
  try {
    let count: number;
    do count = await hastenDeliveries(data, { destinationId: id, max: MAX_CONCURRENT, evenOne });
    while (count === MAX_CONCURRENT);
  } catch (error) {
    // They keep their schedule.
    log.warn({ destinationId: id, error: String(error) }, "waiting deliveries were not sent at once");
  }
}

/** Lists one failure of each destination. */
function listFirstFailures(failures: AttemptResult[]): BegunFailure[] {
  const reasons = new Map<string, string | null>();
  for (const { destinationId, attempt } of failures)
    if (!reasons.has(destinationId))
      reasons.set(destinationId, attempt.error?.slice(0, LONGEST_REASON) ?? null);
  return [...reasons].map(([id, reason]) => ({ id, reason }));
}

const listIds = (attempts: AttemptResult[]): Set<string> =>
  new Set(attempts.map(({ destinationId }) => destinationId));
