/** Tells an outage of the database from other errors, and waits for its end. */
import { setTimeout as wait } from "node:timers/promises";

const AGAIN_MS = 250;

export interface RetryOptions {
  /** Called with each error that is followed by a retry. */
  onError?: (error: unknown) => void;
  /** Whether an error is worth a retry; an outage of the database, unless given. */
  isTemporary?: (error: unknown) => boolean;
  /** When aborted, a wait ends at once and the next error is thrown. */
  signal?: AbortSignal;
}

/** Repeats `run` while the database is down; `run` may have done its work although it failed. Throws other errors. */
export async function retryWhileDatabaseIsDown<Answer>(
  run: () => Promise<Answer>,
  { onError, isTemporary = isDatabaseAway, signal }: RetryOptions = {},
): Promise<Answer> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      onError?.(error);
      await wait(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** Runs optional work: ignores an outage of the database, throws other errors. */
export async function ignoreDatabaseOutage(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
  }
}

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (shutdown), and 25006: a standby that is not promoted yet. */
const AWAY = /^(08\w{3}|53\w{3}|57P\w{2}|25006)$/;

/** Messages of pg's errors that have no code. */
const BROKEN =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired$|Query read timeout$|Client .* is not queryable$)/;

/** Whether a migration has changed the type of a column that a statement returns, since the connection prepared it. */
const isOutdated = (error: Error): boolean => "routine" in error && error.routine === "RevalidateCachedQuery";

/** Codes of a connection that could not be opened. */
const UNREACHABLE = /^E(AGAIN|CONNREFUSED|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;

/** Returns whether an error means that the database cannot be reached, or cannot take writes, at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (AWAY.test(code) || BROKEN.test(error.message) || isOutdated(error)) return true;
  if (UNREACHABLE.test(code)) return "address" in error;
  // An open connection broke. Files have no such errors, and those of calls to providers are wrapped.
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Whether the connection that gave this error never serves again, and a new one may: it leads to a standby, hangs, or is outdated. */
export const mustConnectAgain = (error: unknown): boolean =>
  error instanceof Error &&
  (codeOf(error) === "25006" || error.message === "Query read timeout" || isOutdated(error));

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "");
