/** The only file that reads the clock. */

/** Returns the current time. */
export const now = (): Date => new Date();

/** Returns milliseconds since the epoch. */
export const nowMs = (): number => Date.now();

/** Returns milliseconds of a monotonic clock; only differences are meaningful. */
export const elapsedMs = (): number => performance.now();

/** Returns for how many milliseconds the event loop of this process has worked; only differences are meaningful. */
export const loopBusyMs = (): number => performance.eventLoopUtilization().active;
