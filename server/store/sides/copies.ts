/** Waits until a data database has applied what was committed in the control database, so that a caller sees its own change. */
import { setTimeout as wait } from "node:timers/promises";
import type { QueryResult, QueryResultRow } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { OF_THIS_DATABASE, REPLICATION } from "./replicate-shared.ts";

export interface Copies {
  /** Waits until everything before this position of the control database is applied, a second at most. Returns whether it is. */
  applied(position: string): Promise<boolean>;
  /** Removes what belonged to rows whose copies are gone, which a process may have died before. */
  removeDependents(): Promise<unknown>;
}

/** Reads the position behind all commits until now. Not the flushed one, since a commit need not wait for the disk. */
export const READ_POSITION = "select pg_current_wal_insert_lsn()::text as position";

/** Maximum wait of a change for its copies. A data side that is away or slow gets them later. */
const MAX_WAIT_MS = 1_000;
const ASK_EVERY_MS = 1;

interface Waiter {
  position: bigint;
  untilMs: number;
  resolve(isApplied: boolean): void;
}

/** What asks a data database. */
interface Asking {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
}

/** `data` is a connection or a pool for this alone: a caller may hold the last connection of another one. */
export function openCopies(data: Asking): Copies {
  const waiters = new Set<Waiter>();
  let isAsking = false;
  const settle = (waiter: Waiter, isApplied: boolean): void => {
    waiters.delete(waiter);
    waiter.resolve(isApplied);
  };
  const askUntilSettled = async (): Promise<void> => {
    isAsking = true;
    while (waiters.size > 0) {
      // Nobody waits for a database that is away.
      const appliedUntil = await askOnce(data).catch(() => undefined);
      for (const waiter of waiters)
        if (appliedUntil !== undefined && waiter.position <= appliedUntil) settle(waiter, true);
        else if (appliedUntil === undefined || elapsedMs() > waiter.untilMs) settle(waiter, false);
      if (waiters.size > 0) await wait(ASK_EVERY_MS, undefined, { ref: false });
    }
    isAsking = false;
  };
  return {
    removeDependents: () => removeDependents(data),
    applied(position) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiters.add({ position: toNumber(position), untilMs: elapsedMs() + MAX_WAIT_MS, resolve });
      if (!isAsking) void askUntilSettled();
      return promise;
    },
  };
}

/** Returns the number of a position, which is written as two hexadecimal numbers of 32 bits. */
function toNumber(position: string): bigint {
  const [high = "0", low = "0"] = position.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * Returns the position until which all transactions are applied, and what depended on rows that they removed is removed. Replication
 * confirms it when it has nothing left to apply; while it is stopped, no worker has a row in the view.
 */
async function askOnce(data: Asking): Promise<bigint> {
  const { rows } = await data.query<{ position: string | null }>(
    `select max(latest_end_lsn)::text as position
     from pg_stat_subscription join pg_subscription on pg_subscription.oid = subid
     where pg_subscription.subname = $1 and relid is null and pid is not null and ${OF_THIS_DATABASE}`,
    [REPLICATION],
  );
  const position = rows[0]?.position;
  if (!position) return 0n;
  await removeDependents(data);
  return toNumber(position);
}

async function removeDependents(data: Asking): Promise<void> {
  for (;;) {
    const { rows } = await data.query<{ done: number }>(
      "select remove_dependents() as done where exists (select from removed_copies)",
    );
    if (!rows[0]?.done) return;
  }
}
