/** Reserves part of an account's daily calls for other uses: reads wait while too many calls are used. */
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { CallUsage } from "../../../connector-kit/read-connector.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import type { ReadKind } from "../../store/reads/read-runs.ts";

/** Share of the daily calls, used by any program, up to which reads of a kind go on. */
const MAX_USED: Record<ReadKind, number> = { backfill: 0.7, scheduled: 0.9, triggered: 0.9 };
/** After this time one read of the connection sends a request again: the count of calls covers the last 24 hours. */
const LOOK_AGAIN_MINUTES = 10;
const MAX_CONNECTIONS = 20_000;

export interface SpentBudget {
  waitMs: number;
  /** For the log. */
  message: string;
}

export interface CallBudgets {
  /** Stores the usage that an answer reports; an answer without usage deletes it. */
  note(connectionId: string, usage: CallUsage | undefined): void;
  /** Returns why and for how long a read has to wait; undefined if it may go on. */
  spentFor(connectionId: string, kind: ReadKind): SpentBudget | undefined;
}

/** Opens the budgets of this process. Other processes take theirs from their own answers. */
export function openCallBudgets(minuteMs: number): CallBudgets {
  const known = keepRecentlyUsed<CallUsage & { notedMs: number }>(MAX_CONNECTIONS);
  const checkAgainMs = LOOK_AGAIN_MINUTES * minuteMs;
  return {
    note(connectionId, usage) {
      if (usage && usage.limit > 0) known.set(connectionId, { ...usage, notedMs: elapsedMs() });
      else known.delete(connectionId);
    },
    spentFor(connectionId, kind) {
      const last = known.get(connectionId);
      if (!last || last.used < last.limit * MAX_USED[kind]) return undefined;
      const waitMs = last.notedMs + checkAgainMs - elapsedMs();
      if (waitMs > 0) return { waitMs, message: describeBudget(last, kind) };
      // This read sends a request; the others of the connection wait for its answer.
      known.set(connectionId, { ...last, notedMs: elapsedMs() });
      return undefined;
    },
  };
}

const describeBudget = ({ used, limit }: CallUsage, kind: ReadKind): string =>
  `Waiting: ${used} of the account's ${limit} daily calls are used; ` +
  `${kind} reads stop at ${Math.round(MAX_USED[kind] * 100)} %`;
