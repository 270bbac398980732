/** Checks once a second for processes that died with claims, and recovers what each of them had claimed. */
import type { Log } from "../../ground/log.ts";
import type { ProcessIdentity } from "./process-identity.ts";

const ROUND_MS = 1_000;

export interface OrphanServices {
  log: Log;
  identity: ProcessIdentity;
  /** Lists the processes that have claimed something. */
  listClaimers(): Promise<number[]>;
  /** Releases or ends what a dead process had claimed. Several processes may call it at once for the same one. */
  recover(deadProcess: number): Promise<void>;
}

/** Runs until the returned function is called. */
export function recoverOrphans(deps: OrphanServices): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const round = async (): Promise<void> => {
    const others = (await deps.listClaimers()).filter((id) => id !== deps.identity.id);
    for (const id of await deps.identity.findDead(others)) {
      if (stopped) return;
      deps.log.warn({ process: id }, "recovering what a dead process had claimed");
      await deps.recover(id);
    }
  };
  const runRound = async (): Promise<void> => {
    try {
      await round();
    } catch (error) {
      if (!stopped) deps.log.warn({ error: String(error) }, "cannot look for dead processes");
    }
    schedule();
  };
  const schedule = (): void => {
    if (!stopped) timer = setTimeout(runRound, ROUND_MS);
  };
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
