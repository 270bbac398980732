/** Lets a transaction record the change that it makes: the request sets what to record, `transact` calls it. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ControlQueries } from "./sides.ts";

export interface RecordedChange {
  /** Records the change in its transaction; `result` is what the transaction returns. */
  record(queries: ControlQueries, result: unknown): Promise<void>;
  /** Set when a transaction with the record has been committed. */
  isRecorded: boolean;
}

const current = new AsyncLocalStorage<RecordedChange>();

/** Runs a request whose transactions record its change. */
export const withRecordedChange = <T>(change: RecordedChange, run: () => Promise<T>): Promise<T> =>
  current.run(change, run);

export const findRecordedChange = (): RecordedChange | undefined => current.getStore();
