/** Runs a transaction again when it has lost a race against another one. */
import type { Kysely, Transaction } from "kysely";
import { noteRollback } from "./database-outage.ts";

/** Records what a transaction changed, in the transaction itself. */
type RecordChange<Tables> = (queries: Transaction<Tables>, done: unknown) => Promise<void>;

/** SQLSTATE codes of lost races: deadlock, serialization failure, and a reference to a row that has just been removed. */
const LOST_RACES: readonly unknown[] = ["40P01", "40001", "23503"];
const MAX_TRIES = 5;

/** Runs a transaction, and repeats it after a lost race. `run` must do nothing that a rollback does not undo. */
export async function repeatTransaction<Tables, T>(
  database: Kysely<Tables>,
  run: (queries: Transaction<Tables>) => Promise<T>,
  record?: RecordChange<Tables>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await commit(database, run, record);
    } catch (error) {
      const isLost = error instanceof Error && "code" in error && LOST_RACES.includes(error.code);
      if (!isLost || tries === MAX_TRIES) throw error;
    }
  }
}

async function commit<Tables, T>(
  database: Kysely<Tables>,
  run: (queries: Transaction<Tables>) => Promise<T>,
  record: RecordChange<Tables> | undefined,
): Promise<T> {
  let isCommitting = false;
  try {
    return await database.transaction().execute(async (queries) => {
      const done = await run(queries);
      await record?.(queries, done);
      isCommitting = true;
      return done;
    });
  } catch (error) {
    if (!isCommitting) noteRollback(error);
    throw error;
  }
}
