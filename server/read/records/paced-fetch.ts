/** Limits the request rate of reads to that of the connector, which leaves capacity for other calls. */
import { setTimeout as wait } from "node:timers/promises";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { ProviderFetch } from "../../../connector-kit/calls/provider-fetch.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import { elapsedMs } from "../../../ground/clock.ts";

const MAX_PACES = 20_000;
/** The requests of this time may be sent at once. */
const BURST_MS = 1_000;
/** How long the next request waits after the provider has said that the limit is reached. */
const LIMITED_MS = 1_000;

export interface ReadPaces {
  /** Returns a fetch that waits before requests that come too soon after others of the connection. */
  paced(connectionId: string, connector: ReadConnector, fetch: ProviderFetch): ProviderFetch;
}

/** Opens the limits of this process. Other processes have their own: together they may exceed the provider's, which then says so. */
export function openReadPaces(): ReadPaces {
  /** When the requests so far of a connection and kind would be over at their pace. */
  const dueTimes = keepRecentlyUsed<number>(MAX_PACES);
  return {
    paced: (connectionId, connector, fetch) => async (request) => {
      const pace = connector.choosePace(request);
      if (!pace) return fetch(request);
      const key = `${connectionId} ${pace.kind}`;
      const nowMs = elapsedMs();
      const dueMs = Math.max(dueTimes.get(key) ?? 0, nowMs) + 1_000 / pace.perSecond;
      dueTimes.set(key, dueMs);
      const waitMs = dueMs - nowMs - BURST_MS;
      if (waitMs > 0) await wait(waitMs);
      const answer = await fetch(request);
      // Other processes read the same account, so a 429 can arrive in spite of the pace.
      if (answer.status === 429) {
        dueTimes.set(key, Math.max(dueTimes.get(key) ?? 0, elapsedMs() + BURST_MS + LIMITED_MS));
      }
      return answer;
    },
  };
}
