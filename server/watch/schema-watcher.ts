/** Watches the schemas of customers' accounts in the background: starts the looks that are due and carries them out. */
import { setTimeout as wait } from "node:timers/promises";
import { now } from "../ground/clock.ts";
import { nextTick } from "../jobs/cron-tick.ts";
import { claimSchemaLooks, startDueLooks, type SchemaLook } from "../store/schema-looks.ts";
import type { LookServices } from "./find-look-target.ts";
import { lookAtSchemas } from "./look-at-schemas.ts";

export interface SchemaWatcher {
  /** False when the loop has ended without `stop`. */
  readonly running: boolean;
  /** Finishes the looks that are under way. */
  stop(): Promise<void>;
}

/** Looks of one process at once. Each is of one installation and sends one request after the other. */
const MOST_LOOKS = 8;
const MOST_INTEGRATIONS = 100;
/** Longer than the look at any installation: a look that takes longer is repeated, and reports nothing twice. */
const LEASE_MS = 15 * 60_000;
const LONGEST_POLL_MS = 5_000;
const SHORTEST_POLL_MS = 20;

/** Starts watching in this process, beside any number of other processes. */
export function startSchemaWatcher(deps: LookServices & { minuteMs: number }): SchemaWatcher {
  const { database, log, minuteMs } = deps;
  const { queries } = database;
  const pollMs = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, minuteMs / 12));
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Set<Promise<void>>();
  let running = true;

  const start = (look: SchemaLook): void => {
    const done: Promise<void> = lookAtSchemas(deps, look).finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const round = async (): Promise<void> => {
    const tick = (schedule: string): Date => nextTick(schedule, now(), { minuteMs });
    await startDueLooks(queries, { most: MOST_INTEGRATIONS, spreadMs: 60 * minuteMs, nextTick: tick });
    const most = MOST_LOOKS - underWay.size;
    const looks = most > 0 ? await claimSchemaLooks(queries, { most, leaseMs: LEASE_MS }) : [];
    looks.forEach(start);
    // With free places there is nothing left to claim until the next poll.
    const rest = wait(pollMs, undefined, { signal, ref: false }).catch(() => {});
    await (underWay.size < MOST_LOOKS ? rest : Promise.race([rest, ...underWay]));
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await round().catch(async (error: unknown) => {
        if (!signal.aborted)
          log.warn({ error: String(error) }, "cannot look for changed schemas; trying again");
        await wait(pollMs, undefined, { signal, ref: false }).catch(() => {});
      });
    }
    running = false;
  };
  const looping = loop();
  return {
    get running() {
      return running;
    },
    async stop() {
      stopping.abort();
      await looping;
      await Promise.all(underWay);
    },
  };
}
