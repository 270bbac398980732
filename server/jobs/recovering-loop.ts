/** A claim loop that also recovers what dead processes had claimed. */
import type { ClaimLoop } from "./claim-loop.ts";
import { recoverOrphans, type OrphanServices } from "./recover-orphans.ts";

/** Wakes the loop after each recovery; stopping the loop stops the recovery first. */
export function withOrphanRecovery(loop: ClaimLoop, deps: OrphanServices): ClaimLoop {
  const stopRecovering = recoverOrphans({
    ...deps,
    recover: async (deadProcess) => {
      await deps.recover(deadProcess);
      loop.wake();
    },
  });
  return {
    wake: () => loop.wake(),
    get running() {
      return loop.running;
    },
    stop: async () => {
      stopRecovering();
      await loop.stop();
    },
  };
}
