/** Tracks which destinations fail, and disables webhooks that have failed for too long. */
import type { Queries } from "../store/database.ts";
import { markFailing, markWorking } from "../store/destinations.ts";
import type { AttemptResult } from "./delivery-result.ts";
import { disableDestinations, type DisableServices } from "./disable-destinations.ts";

export interface HealthServices extends DisableServices {
  /** Queries whose loss does no harm: the next attempt says the same. */
  unsynced: Queries;
}

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
    const succeeded = idsOf(attempts.filter(({ outcome }) => outcome.kind === "delivered"));
    const failures = attempts.filter(({ destinationId }) => !succeeded.has(destinationId));
    const recovered = [...succeeded].filter((id) => this.#failing.has(id));
    const newlyFailing = [...idsOf(failures)].filter((id) => !this.#failing.has(id));
    await markWorking(this.#deps.unsynced, recovered);
    await markFailing(this.#deps.unsynced, newlyFailing);
    recovered.forEach((id) => this.#failing.delete(id));
    newlyFailing.forEach((id) => this.#failing.add(id));
    const ofWebhooks = failures.filter(({ destination }) => destination.type.disables);
    if (ofWebhooks.length > 0) await disableDestinations(this.#deps, ofWebhooks);
  }
}

const idsOf = (attempts: AttemptResult[]): Set<string> =>
  new Set(attempts.map(({ destinationId }) => destinationId));
