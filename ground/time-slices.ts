/** Cuts a long computation into slices, between which the process serves requests. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { elapsedMs } from "./clock.ts";

/** A request waits for several slices, so each is short. */
const SLICE_MS = 1;

export interface TimeSlices {
  isOver(): boolean;
  /** Yields to the event loop, and begins the next slice. */
  next(): Promise<void>;
}

/** Begins the first slice. */
export function startTimeSlices(): TimeSlices {
  let startedMs = elapsedMs();
  return {
    isOver: () => elapsedMs() - startedMs >= SLICE_MS,
    async next() {
      await nextTurn();
      startedMs = elapsedMs();
    },
  };
}
