/** The only file that reads the clock. */

/** The database's last answer, and our own clocks at that moment. */
interface Answer {
  wallMs: number;
  elapsedMs: number;
  /** How far this machine's clock was ahead; negative if it was behind. */
  aheadMs: number;
}

/** Less than this is the time that question and answer took. */
const TOLERANCE_MS = 100;
/** The machine's clock was set if it went so much further than the monotonic one. */
const LEAP_MS = 250;

let answer: Answer | undefined;

/**
 * Returns the current time by the database's clock once it is known, otherwise by this machine's: what is stored is compared with what the
 * database and other processes stored. A jump of this machine's clock changes nothing.
 */
export const now = (): Date => new Date(nowMs());

/** Returns milliseconds since the epoch, as `now` does. */
export function nowMs(): number {
  const wallMs = Date.now();
  if (!answer) return wallMs;
  const expectedMs = Math.round(answer.wallMs + performance.now() - answer.elapsedMs);
  const ownMs = Math.abs(wallMs - expectedMs) < LEAP_MS ? wallMs : expectedMs;
  return ownMs - answer.aheadMs;
}

/** Follows the database's clock from now on; it was `databaseMs` when it was asked, at most `tookMs` ago. */
export function followClock(databaseMs: number, tookMs: number): void {
  const wallMs = Date.now();
  const aheadMs = Math.round(wallMs - tookMs / 2 - databaseMs);
  const differs = Math.abs(aheadMs) > TOLERANCE_MS + tookMs / 2;
  answer = { wallMs, elapsedMs: performance.now(), aheadMs: differs ? aheadMs : 0 };
}

/** Returns whether the database's clock is known. */
export const followsClock = (): boolean => answer !== undefined;

/** Uses this machine's clock again, once the database is no longer asked. */
export function leaveClock(): void {
  answer = undefined;
}

/** Returns how many milliseconds this machine's clock is ahead of the one that is followed; negative if it is behind. */
export const clockAheadMs = (): number => Date.now() - nowMs();

/** Returns milliseconds of a monotonic clock; only differences are meaningful. */
export const elapsedMs = (): number => performance.now();

/** Returns for how many milliseconds the event loop of this process has worked; only differences are meaningful. */
export const loopBusyMs = (): number => performance.eventLoopUtilization().active;
