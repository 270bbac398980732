/** Computes when a cron expression is due next, and spreads equal ones. */
import { createHash } from "node:crypto";
import { Cron } from "croner";
import { LRUCache } from "lru-cache";

const patterns = new LRUCache<string, Cron>({ max: 1_000 });
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface TickOptions {
  /** Length of a minute; shorter in tests and demos. */
  minuteMs: number;
  /** Delays every tick, in milliseconds of a real minute. */
  offsetMs?: number;
}

/** Returns the first tick after a time. The expression must be valid (`manifest/schedule.ts`), UTC. */
export function findNextTick(schedule: string, after: Date, { minuteMs, offsetMs = 0 }: TickOptions): Date {
  const cron = patterns.get(schedule) ?? new Cron(schedule, { timezone: "UTC", paused: true });
  patterns.set(schedule, cron);
  // Short minutes are counted from the beginning of the day, so that all processes agree.
  const dayMs = Math.floor(after.getTime() / DAY_MS) * DAY_MS;
  const factor = MINUTE_MS / minuteMs;
  const cronMs = dayMs + (after.getTime() - dayMs) * factor - offsetMs;
  const next = cron.nextRun(new Date(cronMs));
  if (!next) throw new Error(`the schedule ${schedule} has no next tick`);
  return new Date(Math.ceil(dayMs + (next.getTime() + offsetMs - dayMs) / factor));
}

/** Returns an offset below a minute that is always the same for this key. */
export function spreadMs(key: string): number {
  return createHash("sha256").update(key).digest().readUInt32BE() % MINUTE_MS;
}
