/** Ends the reporting of objects that no installation of a connection subscribes to any more. */
import { setTimeout as wait } from "node:timers/promises";
import { backoffMs } from "../jobs/backoff.ts";
import { callProvider } from "../operations/call-provider.ts";
import { dropSelected, type HeldStream } from "../store/event-streams.ts";
import type { StreamServices } from "./stream-services.ts";

export interface Deselecting {
  /** Begins to deselect what is not wanted, unless that is under way. */
  look(stream: HeldStream): void;
  settled(): Promise<void>;
}

const MOST_ATTEMPTS = 4;

export function openDeselecting(deps: StreamServices): Deselecting {
  const underWay = new Map<string, Promise<void>>();
  return {
    look(stream) {
      const { connectionId, selected, wanted } = stream;
      const dropped = selected.filter((key) => !wanted.includes(key));
      if (dropped.length === 0 || underWay.has(connectionId)) return;
      const work = deselect(deps, stream, dropped)
        .catch((error: unknown) => {
          deps.log.warn({ connectionId, error: String(error) }, "cannot store that objects were deselected");
        })
        .finally(() => underWay.delete(connectionId));
      underWay.set(connectionId, work);
    },
    settled: async () => void (await Promise.all(underWay.values())),
  };
}

/** What could not be removed at the provider is logged: it does no harm but take the place of another object. */
async function deselect(
  deps: StreamServices,
  { connectionId, projectId, provider, ref, wanted }: HeldStream,
  dropped: string[],
): Promise<void> {
  const connector = deps.catalog.connector(provider);
  for (let attempts = 1; attempts <= MOST_ATTEMPTS; attempts++) {
    try {
      await callProvider(deps, { projectId, connectionId }, async ({ fetch }) =>
        connector?.stream?.deselect({ ref, objectKeys: wanted }, fetch),
      );
      break;
    } catch (error) {
      if (attempts === MOST_ATTEMPTS) {
        deps.log.warn(
          { connectionId, projectId, provider, ref, left: dropped, error: String(error) },
          "objects are still selected at the provider, although nobody subscribes to them",
        );
        break;
      }
      await wait(backoffMs({ attempts, baseMs: deps.retryBaseMs }), undefined, { ref: false });
    }
  }
  await dropSelected(deps.database.queries, connectionId, dropped);
}
