/** Reads the journal of a provider app, entry by entry, and rests when it has no more. */
import { setTimeout as wait } from "node:timers/promises";
import type { JournalConnector } from "../../../connector-kit/journal-connector.ts";
import type { StreamBatch, StreamStart } from "../../../connector-kit/stream-connector.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";
import type { StreamSource } from "./stream-source.ts";

const ACCEPTED: StreamBatch = { events: [], gaps: [], position: Buffer.alloc(0) };

export const readJournal = (deps: StreamServices, journal: JournalConnector): StreamSource =>
  async function* ({ stream, from, signal, onCall }) {
    const { projectId, providerAppId } = stream;
    const app = { projectId, providerAppId: providerAppId ?? "" };
    const calls = await deps.appCalls.find(app, (scopes) => journal.tokenScopes(scopes));
    onCall();
    let place: StreamStart = from;
    for (let isFirst = true; ; isFirst = false) {
      const entry = await unlessAborted(signal, journal.readNext(place, calls));
      if (isFirst) yield ACCEPTED;
      yield entry;
      if (entry.position.length > 0) place = entry.position;
      // An empty journal has no position; everything in it will be new.
      else if (place === "now") place = "oldest";
      if (entry.isLast) await wait(deps.journalRestMs, undefined, { signal });
    }
  };

/** Waits for a request unless the signal is aborted before: the answer is then not waited for. */
async function unlessAborted<Answer>(signal: AbortSignal, request: Promise<Answer>): Promise<Answer> {
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
