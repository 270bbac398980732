/**
 * The rule by which owners share what a process has (places, slots, messages), so that one with much work leaves something to each that
 * comes later: an owner may hold a number of times what is still free. Pure.
 */

interface Share {
  /** What the owner holds. */
  own: number;
  /** What nobody holds. */
  free: number;
  /** An owner may hold this many times the free capacity: alone, 1 gives it half of all, 2 two thirds, 3 three quarters. */
  times: number;
}

/** Returns how far the owner is below its share; zero or less if it may take nothing more. */
export const computeHeadroom = ({ own, free, times }: Share): number => times * free - own;

/** Returns how much the owner may take at once: what it takes is no longer free, so that its share shrinks meanwhile. */
export const computeTakeable = (share: Share): number =>
  Math.max(0, Math.floor(computeHeadroom(share) / (share.times + 1)));
