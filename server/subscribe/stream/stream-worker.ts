/** Claims streams of events and holds them: one process for each connection, and for each journal, over all processes. */
import type { StreamReader, StreamBatch, StreamStart } from "../../../connector-kit/stream-connector.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { recoverOrphans } from "../../jobs/recover-orphans.ts";
import { startRounds } from "../../jobs/rounds.ts";
import type { Changes } from "../../store/database/changes.ts";
import {
  claimEventStreams,
  listHeldStreams,
  recoverEventStreams,
  selectAgain,
  type EventStreamRow,
} from "../../store/subscriptions/event-streams.ts";
import { readClaimers } from "../../store/processes/list-claimers.ts";
import { openDeselecting } from "../setup/deselect-objects.ts";
import { holdStream } from "./hold-stream.ts";
import { readLongCall } from "./read-long-call.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";
import type { StreamSource } from "./stream-source.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { JournalConnector } from "../../../connector-kit/journal-connector.ts";

export type StreamWorkerServices = Omit<StreamServices, "workerId"> & {
  identity: ProcessIdentity;
  changes: Changes;
};

interface StreamWorker {
  wake(): void;
  /** Releases all streams. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
/** Streams that a process opens at once; the next ones in the next round, so that processes share them. */
const MAX_CONCURRENT = 50;

interface Held {
  stream: EventStreamRow;
  stop: AbortController;
  ended: Promise<void>;
}

/** Starts at once and runs until it is stopped. */
export function startStreamWorker(services: StreamWorkerServices): StreamWorker {
  const deps: StreamServices = { ...services, workerId: () => services.identity.id };
  const { data } = deps.database;
  const held = new Map<string, Held>();
  const deselecting = openDeselecting(deps);
  const findSource = openSources(deps);
  const hold = (stream: EventStreamRow, source: StreamSource): void => {
    const { id, connectionId, projectId } = stream;
    const stop = new AbortController();
    const ended = holdStream(deps, { stream, source, stop: stop.signal })
      .catch((error: unknown) => {
        const line = { stream: id, connectionId, projectId, err: error };
        deps.log.error(line, "a stream of events ended on our side");
      })
      .finally(() => {
        if (held.get(id)?.stop === stop) held.delete(id);
      });
    held.set(id, { stream, stop, ended });
  };
  const round = async (): Promise<boolean> => {
    // Streams claimed by this process but not held here were lost; streams held here may belong to others now.
    const known = [...held.keys()];
    await recoverEventStreams(data, deps.workerId(), known);
    const rows = await listHeldStreams(data, deps.workerId());
    for (const key of known) {
      const row = rows.find(({ id }) => id === key);
      const one = held.get(key);
      const isSame = row?.topic === one?.stream.topic && row?.accountRef === one?.stream.accountRef;
      if (!row || row.wanted.length === 0 || !isSame) one?.stop.abort();
    }
    for (const row of rows) {
      deselecting.check(row);
      if (row.wanted.some((key) => !row.selected.includes(key))) await selectAgain(data, row.id);
    }
    const claimed = await claimEventStreams(data, deps.workerId(), MAX_CONCURRENT);
    for (const stream of claimed) {
      const source = findSource(stream);
      if (source) hold(stream, source);
    }
    return claimed.length === MAX_CONCURRENT;
  };
  const rounds = startRounds({
    what: "hold streams of events",
    log: deps.log,
    everyMs: LOOK_EVERY_MS,
    round,
  });
  services.changes.subscribe((change) => {
    if (change?.table === "event_streams") rounds.wake();
  });
  const stopRecovering = recoverOrphans({
    log: deps.log,
    identity: services.identity,
    listClaimers: () => readClaimers(data, "eventStreams"),
    async recover(deadProcess) {
      await recoverEventStreams(data, deadProcess);
      rounds.wake();
    },
  });
  return {
    wake: () => rounds.wake(),
    async stop() {
      stopRecovering();
      await rounds.stop();
      const all = [...held.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all([deselecting.settled(), ...all.map(({ ended }) => ended)]);
    },
  };
}

/** Returns a function that finds what reads a stream; the calls of a provider share a reader. */
function openSources(deps: StreamServices) {
  const readers = new Map<string, StreamReader>();
  return ({ provider, providerAppId }: EventStreamRow): StreamSource | undefined => {
    const connector = deps.catalog.connector(provider);
    if (providerAppId !== null) return connector?.journal && readJournal(deps, connector.journal);
    const reader = readers.get(provider) ?? connector?.stream?.openReader();
    if (!reader) return undefined;
    readers.set(provider, reader);
    return readLongCall(deps, reader);
  };
}

const ACCEPTED: StreamBatch = { events: [], gaps: [], position: Buffer.alloc(0) };

const readJournal = (deps: StreamServices, journal: JournalConnector): StreamSource =>
  async function* ({ stream, from, signal, onCall }) {
    const { projectId, providerAppId } = stream;
    const app = { projectId, providerAppId: providerAppId ?? "" };
    const calls = await deps.appCalls.find(app, (scopes) => journal.tokenScopes(scopes));
    onCall();
    let place: StreamStart = from;
    for (let isFirst = true; ; isFirst = false) {
      const entry = await waitUnlessAborted(signal, journal.readNext(place, calls));
      if (isFirst) yield ACCEPTED;
      yield entry;
      if (entry.position.length > 0) place = entry.position;
      // An empty journal has no position; everything in it will be new.
      else if (place === "now") place = "oldest";
      if (entry.isLast) await wait(deps.journalRestMs, undefined, { signal });
    }
  };

/** Waits for a request unless the signal is aborted before: the answer is then not waited for. */
async function waitUnlessAborted<Answer>(signal: AbortSignal, request: Promise<Answer>): Promise<Answer> {
  request.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  // A promise for each request: one for all of them would keep every request for as long as the journal is read.
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted, request]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
