/** Ends the reporting of objects that no installation of a connection subscribes to any more. */
import { setTimeout as wait } from "node:timers/promises";
import { Problem } from "../../../ground/errors.ts";
import { computeBackoffMs } from "../../jobs/backoff.ts";
import type { Log } from "../../../ground/log.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import {
  dropSelected,
  findStreamWithout,
  readJournalKey,
  type HeldStream,
} from "../../store/subscriptions/event-streams.ts";
import { dropSelectedOfOthers, listWantedByOthers } from "../../store/subscriptions/shared-journals.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";

interface Deselecting {
  /** Begins to deselect what is not wanted, unless that is under way. */
  check(stream: HeldStream): void;
  settled(): Promise<void>;
}

const MAX_ATTEMPTS = 4;

export function openDeselecting(deps: StreamServices): Deselecting {
  const underWay = new Map<string, Promise<void>>();
  return {
    check(stream) {
      const { id, connectionId, projectId, selected, wanted } = stream;
      const dropped = selected.filter((key) => !wanted.includes(key));
      // Without anything that is wanted, the stream itself goes.
      const isDone = dropped.length === 0 && wanted.length > 0;
      if (isDone || underWay.has(id)) return;
      const work = deselect(deps, stream, dropped)
        .catch((error: unknown) => {
          const line = { stream: id, connectionId, projectId, error: String(error) };
          deps.log.warn(line, "cannot store that objects were deselected");
        })
        .finally(() => underWay.delete(id));
      underWay.set(id, work);
    },
    settled: async () => void (await Promise.all(underWay.values())),
  };
}

/** Logs what could not be removed at the provider: the only harm is that it takes the place of another object. */
async function deselect(deps: StreamServices, stream: HeldStream, dropped: string[]): Promise<void> {
  const { id, projectId, provider, ref } = stream;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    try {
      await (stream.providerAppId === null
        ? deselectFromStream(deps, stream)
        : deselectFromJournal(deps, stream, dropped));
      break;
    } catch (error) {
      // A shard is away, whose customers may want the objects: they are deselected when it is back.
      if (error instanceof Problem) throw error;
      if (attempts === MAX_ATTEMPTS) {
        deps.log.warn(
          { stream: id, projectId, provider, ref, left: dropped, error: String(error) },
          "objects are still selected at the provider, although nobody subscribes to them",
        );
        break;
      }
      await wait(computeBackoffMs({ attempts, baseMs: deps.retryBaseMs }), undefined, { ref: false });
    }
  }
  await dropSelected(deps.database.data, id, dropped);
}

async function deselectFromStream(
  deps: CallServices,
  { connectionId, projectId, provider, ref, wanted }: HeldStream,
): Promise<void> {
  if (connectionId === null) return;
  const { stream } = deps.catalog.connector(provider) ?? {};
  await callProvider(deps, { projectId, connectionId }, async ({ fetch }) =>
    stream?.deselect({ ref, objectKeys: wanted }, fetch),
  );
}

/**
 * The journal belongs to the builder's app: only what Busbar has selected is removed, except for what others
 * with the same app want: other projects, and customers of other shards.
 */
async function deselectFromJournal(
  deps: StreamServices,
  stream: HeldStream,
  dropped: string[],
): Promise<void> {
  const { providerAppId, projectId, provider } = stream;
  const { journal } = deps.catalog.connector(provider) ?? {};
  if (!journal || providerAppId === null || dropped.length === 0) return;
  const { fetch } = await deps.appCalls.find({ projectId, providerAppId }, (scopes) =>
    journal.tokenScopes(scopes),
  );
  const kept = new Set(await listWantedByOthers(deps.database, stream, dropped));
  const gone = dropped.filter((key) => !kept.has(key));
  if (gone.length === 0) return;
  try {
    await journal.deselect(gone.map(readJournalKey), fetch);
  } finally {
    // After a failure, too: the provider may have deselected some, and who has begun to want one keeps it from the next attempt.
    await dropSelectedOfOthers(deps.database, stream, gone);
  }
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
  const stream = await findStreamWithout(deps.database.data, installationId);
  if (!stream || stream.selected.every((key) => stream.wanted.includes(key))) return;
  const { id, projectId, provider, ref } = stream;
  const call = deselectFromStream(deps, stream).then(() => true);
  const isDone = await Promise.race([call, wait(PATIENCE_MS, false, { ref: false })]).catch(() => false);
  call.catch(() => {});
  if (isDone) return;
  deps.log.warn(
    { stream: id, projectId, provider, ref },
    "objects are still selected at the provider, although nobody subscribes to them",
  );
}
