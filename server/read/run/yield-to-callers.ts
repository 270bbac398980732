/** Yields processor time to callers during a backfill, whose next page is always ready. */
import { setTimeout as wait } from "node:timers/promises";
import { loopBusyMs } from "../../../ground/clock.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";

/** Callers who came within this time will come again. */
const RECENT_MS = 1_000;
/** The process rests this many times as long as it has worked, so that most calls meet no page. */
const REST_SHARE = 2;
/** Limits the rest, so that a backfill progresses even in a process that callers keep busy. */
const MAX_REST_MS = 500;

/** Returns a function that rests after the work since its last call, while callers write synchronously. */
export function yieldToCallers(ledger: Pick<OperationLedger, "idleMs">): () => Promise<void> {
  let busyMs = loopBusyMs();
  return async () => {
    const workedMs = loopBusyMs() - busyMs;
    busyMs += workedMs;
    if (ledger.idleMs() < RECENT_MS) await wait(Math.min(REST_SHARE * workedMs, MAX_REST_MS));
  };
}
