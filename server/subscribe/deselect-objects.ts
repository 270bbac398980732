/** Ends the reporting of objects that no installation of a connection subscribes to any more. */
import { setTimeout as wait } from "node:timers/promises";
import { backoffMs } from "../jobs/backoff.ts";
import type { Log } from "../ground/log.ts";
import { callProvider, type CallServices } from "../operations/call-provider.ts";
import { dropSelected, findStreamWithout, type HeldStream } from "../store/event-streams.ts";
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

/** A deletion does not wait longer. */
const PATIENCE_MS = 5_000;

/**
 * Deselects what an installation is the last to want, before the credentials are removed with it. Never throws, and takes
 * some seconds at most: what could not be removed is logged.
 */
export async function deselectBeforeRemoval(
  deps: CallServices & { log: Log },
  installationId: string,
): Promise<void> {
  const stream = await findStreamWithout(deps.database.queries, installationId);
  if (!stream || stream.selected.every((key) => stream.wanted.includes(key))) return;
  const { connectionId, projectId, provider, ref, wanted } = stream;
  const connector = deps.catalog.connector(provider);
  const call = callProvider(deps, { projectId, connectionId }, async ({ fetch }) => {
    await connector?.stream?.deselect({ ref, objectKeys: wanted }, fetch);
    return true;
  });
  const isDone = await Promise.race([call, wait(PATIENCE_MS, false, { ref: false })]).catch(() => false);
  call.catch(() => {});
  if (isDone) return;
  deps.log.warn(
    { connectionId, projectId, provider, ref },
    "objects are still selected at the provider, although nobody subscribes to them",
  );
}
