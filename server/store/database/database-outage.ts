/** Distinguishes an outage of the database from other errors, and waits for its end. */
import { setTimeout as wait } from "node:timers/promises";

const AGAIN_MS = 250;

interface RetryOptions {
  /** Called with each error before a retry. */
  onError?: (error: unknown) => void;
  /** Returns whether an error is worth a retry; by default, an outage of the database is. */
  isTemporary?: (error: unknown) => boolean;
  /** When aborted, a wait ends at once, and the next error is thrown. */
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

/**
 * SQLSTATE codes of an outage. Classes 08 (connection), 53 (resources) and 57P (shutdown); 25006, a standby that is not
 * promoted yet; 57014 and 55P03, a statement that the server cancelled because it, or a lock that it waited for, took too long.
 */
const AWAY = /^(08\w{3}|53\w{3}|57P\w{2}|25006|57014|55P03)$/;

/** Those codes with which the server says that it did not execute the statement. */
const REFUSED = /^(53\w{3}|57P03|25006|57014|55P03)$/;

/** Messages of pg's errors that have no code. */
const BROKEN =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired$|Query read timeout$|Client .* is not queryable$)/;

/** Messages of a pool without a free connection, and of a server that accepted none. */
const NEVER_SENT = /^(timeout exceeded when trying to connect|timeout expired$)/;

/**
 * Returns whether the statement of this error may have been committed without an answer. A failure before the commit of a
 * transaction is not of that kind: `noteRollback` marks it.
 */
export function mayBeCommitted(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseAway(error) || ROLLED_BACK in error) return false;
  // Errors with an address are those of connections that could not be opened.
  return !("address" in error) && !REFUSED.test(readCode(error)) && !NEVER_SENT.test(error.message);
}

/** Returns whether the statement was cancelled because it took too long: others that wait for the same lock would take as long. */
export const isTookTooLong = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(57014|55P03)$/.test(readCode(error)) || error.message === "Query read timeout");

const ROLLED_BACK = Symbol("rolled back");

/** Marks the error of a transaction whose commit was never sent: it had no effect. */
export function noteRollback(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, ROLLED_BACK, { value: true });
}

/** Returns whether a migration has changed the type of a returned column since the connection prepared the statement. */
const isOutdated = (error: Error): boolean => "routine" in error && error.routine === "RevalidateCachedQuery";

/** Codes of a connection that could not be opened. */
const UNREACHABLE = /^E(AGAIN|CONNREFUSED|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;

/** Returns whether an error means that the database cannot be reached, or takes no writes, at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = readCode(error);
  if (AWAY.test(code) || BROKEN.test(error.message) || isOutdated(error)) return true;
  if (UNREACHABLE.test(code)) return "address" in error;
  // An open connection broke. Files have no such errors, and those of calls to providers are wrapped.
  return code === "ECONNRESET" || code === "EPIPE";
}

const SHARD = Symbol("shard");

/** Adds the name of the shard whose database is away to an error, and returns the error. */
export function nameAway(error: unknown, shard: string): unknown {
  if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { [SHARD]: shard });
  return error;
}

/** Returns the name of the shard whose database is away; undefined for the main one. */
export const findAway = (error: unknown): string | undefined =>
  error instanceof Error && SHARD in error ? String(error[SHARD]) : undefined;

/** Returns whether the server could not execute a statement because its disk is full. */
export const isDiskFull = (error: unknown): boolean => error instanceof Error && readCode(error) === "53100";

/** Returns whether the connection of this error must be replaced: it leads to a standby, hangs, or has outdated statements. */
export const mustConnectAgain = (error: unknown): boolean =>
  error instanceof Error &&
  (readCode(error) === "25006" || error.message === "Query read timeout" || isOutdated(error));

const readCode = (error: Error): string => ("code" in error ? String(error.code) : "");
