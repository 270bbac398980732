/** Repeats a piece of background work: at once when woken, otherwise after a rest. */
import type { Log } from "../../ground/log.ts";
import { WakeSignal } from "./wake-signal.ts";

export interface Rounds {
  /** Something may be due: the next round begins at once. */
  wake(): void;
  /** Waits for the round under way. */
  stop(): Promise<void>;
}

interface RoundsOptions {
  /** What a round does, for the log: "cannot …; trying again". */
  what: string;
  log: Log;
  /** Longest rest between rounds. */
  everyMs: number;
  /** Returns whether more may be due, so that the next round begins at once. */
  round(): Promise<boolean>;
}

/** Starts at once and runs until stopped. A round that fails is repeated after a rest. */
export function startRounds({ what, log, everyMs, round }: RoundsOptions): Rounds {
  const signal = new WakeSignal();
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      signal.clear();
      const more = await round().catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ error: String(error) }, `cannot ${what}; trying again`);
        return false;
      });
      if (!more && !stopping.signal.aborted) await signal.rest(everyMs);
    }
  };
  const running = run();
  return {
    wake: () => signal.wake(),
    async stop() {
      stopping.abort();
      signal.wake();
      await running;
    },
  };
}
