/** Remembers, for each provider of a project, whether pushes were refused for their signature since the last accepted one. */
import { elapsedMs } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { Database } from "../../store/database/database.ts";
import { forgetRefusedPushes, noteRefusedPush } from "../../store/subscriptions/refused-pushes.ts";
import type { PushTarget } from "./push-targets.ts";

export interface SignatureWatch {
  /** `target`: undefined for an address that does not exist. */
  refused(target: PushTarget | undefined, uri: string): void;
  accepted(target: PushTarget): void;
}

/** A flood of wrong requests must become a flood neither of lines nor of statements. */
const REFUSED_EVERY_MS = 10_000;
/** Another process may have refused. */
const ACCEPTED_EVERY_MS = 60_000;
const MAX_TARGETS = 5_000;

/** Stores in the background: the provider waits for its answer. */
export function watchSignatures({ database, log }: { database: Database; log: Log }): SignatureWatch {
  const { control } = database;
  const refusedAt = keepRecentlyUsed<number>(MAX_TARGETS);
  const acceptedAt = keepRecentlyUsed<number>(MAX_TARGETS);
  let nextLineMs = Number.NEGATIVE_INFINITY;
  const store = (run: Promise<void>): void =>
    void run.catch((error: unknown) => log.debug({ error: String(error) }, "refused pushes not noted"));
  const isRecent = (time: number | undefined, everyMs: number): boolean =>
    time !== undefined && elapsedMs() - time < everyMs;
  return {
    refused(target, uri) {
      if (elapsedMs() >= nextLineMs) {
        nextLineMs = elapsedMs() + REFUSED_EVERY_MS;
        log.warn({ uri }, "refused a push: its signature does not match this address");
      }
      if (!target) return;
      const key = toKey(target);
      if (isRecent(refusedAt.get(key), REFUSED_EVERY_MS)) return;
      refusedAt.set(key, elapsedMs());
      acceptedAt.delete(key);
      store(noteRefusedPush(control, target));
    },
    accepted(target) {
      const key = toKey(target);
      if (isRecent(acceptedAt.get(key), ACCEPTED_EVERY_MS)) return;
      acceptedAt.set(key, elapsedMs());
      refusedAt.delete(key);
      store(forgetRefusedPushes(control, target));
    },
  };
}

const toKey = ({ projectId, provider }: PushTarget): string => JSON.stringify([projectId, provider]);
