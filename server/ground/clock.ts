/** The only place that asks the machine for the time, so that everything else can be read without wondering. */

/** The wall clock now. */
export const now = (): Date => new Date();

/** Milliseconds since the epoch. */
export const nowMs = (): number => Date.now();

/** Milliseconds of a clock that never jumps; only differences mean something. */
export const elapsedMs = (): number => performance.now();
