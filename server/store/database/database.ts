/** The database with its two sides, and the transactions on them. `open-database.ts` opens it. */
import type { Kysely, QueryResult, Transaction } from "kysely";
import type { Pool } from "pg";
import { findRecordedChange } from "./audit-context.ts";
import type { Copies } from "../sides/copies.ts";
import type { Outbox } from "./outbox.ts";
import type { CopiedTables } from "./pool.ts";
import { repeatTransaction } from "./repeat-transaction.ts";
import type { DB } from "./rows.gen.ts";
import { type ControlQueries, type ControlTables, type DataQueries, type DataTables } from "./sides.ts";

/** The database itself or a transaction, with the tables of both sides. A function for one side takes a type of `sides.ts`. */
export type Queries = Kysely<DB> | Transaction<DB>;

/** Name of the shard that every Busbar has: of the customers whose `groups.shard` is null. */
export const MAIN_SHARD = "main";

/** Database whose rows and columns are in camelCase; JSON in them is not converted. */
export interface Database {
  /** Control tables. Each side may one day be in a database of its own, so a transaction on one does not include the other. */
  readonly control: Kysely<ControlTables>;
  /** Data tables, and the shared tables for reading. */
  readonly data: Kysely<DataTables>;
  /** Name of the shard whose customers `data` has (docs/decisions/0045-shards-by-customer.md). */
  readonly shard: string;
  /** All shards, this one included, with the same control side. What does not know its customer asks them all (`shards/`). */
  readonly shards: readonly Database[];
  /** Why its database cannot be used at the moment, and since when; only shards beside the main one are watched. */
  readonly trouble?: { since: Date; reason: string } | undefined;
  /** Share of new customers that the main shard gets. */
  readonly mainWeight: number;
  /** Adds a shard; `copies` are those in its database. */
  addShard(shard: Database, copies: Copies): void;
  /** Forgets a shard and closes it. */
  removeShard(shard: Database): Promise<void>;
  /** Both sides, for the helpers of this file; `sides.test.ts` refuses any other use. */
  readonly queries: Kysely<DB>;
  /** Carries the effects of control changes over to data tables. */
  readonly outbox: Outbox;
  readonly pool: Pool;
  readonly connectionString: string;
  /** Set if the data tables are in a database of their own. */
  readonly dataUrl?: string;
  readonly dataPool?: Pool;
  /** What a change of control tables waits for. */
  readonly copied: CopiedTables;
  readonly sideRoles?: SideRoles;
  close(): Promise<void>;
}

/** Roles of tests, with the rights of one side each, so that a statement on the wrong side fails. */
export interface SideRoles {
  control: string;
  data: string;
}

/** Runs a transaction on the control tables and always rolls it back. Returns its result, or throws its refusal. */
export async function rehearse<T>(
  database: Pick<Database, "control" | "outbox">,
  run: (queries: ControlQueries) => Promise<T>,
): Promise<T> {
  const rollback = new Rehearsed<T>();
  try {
    return await transactControl(database, async (queries) => {
      rollback.result = { value: await run(queries) };
      throw rollback;
    });
  } catch (error) {
    if (error === rollback && rollback.result) return rollback.result.value;
    throw error;
  }
}

class Rehearsed<T> extends Error {
  result: { value: T } | undefined;
}

/** SQLSTATE of a violated unique constraint. */
const UNIQUE_VIOLATION = "23505";

/** Returns how many rows a statement inserted, updated or deleted. */
export const countAffectedRows = ({ numAffectedRows }: QueryResult<unknown>): number =>
  Number(numAffectedRows ?? 0n);

/** Returns whether an error means that a row with this key exists; `constraint` restricts it to one key. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}

/**
 * Runs a transaction on the control tables, and repeats it after a lost race: the second time its work is possible, or is
 * refused for a reason. `run` must do nothing that a rollback does not undo. During an audited request, the transaction also
 * records the change. Its outbox entries are carried over to the data side when this resolves, unless that side is away or
 * slow.
 */
export async function transactControl<T>(
  { control, outbox }: Pick<Database, "control" | "outbox">,
  run: (queries: ControlQueries) => Promise<T>,
): Promise<T> {
  const change = findRecordedChange();
  let last: ControlQueries | undefined;
  const runOnce = (queries: ControlQueries) => {
    outbox.begin((last = queries));
    return run(queries);
  };
  const result = change
    ? await repeatTransaction(control, runOnce, (queries, done) => change.record(queries, done))
    : await repeatTransaction(control, runOnce);
  if (change) change.isRecorded = true;
  if (last) await outbox.committed(last);
  return result;
}

/**
 * Returns the data side for a transaction on the control tables. If one database has both, it is the transaction itself; otherwise
 * each statement commits at once, so before the transaction does.
 */
export const getDataWithin = (
  { control, data }: Pick<Database, "control" | "data">,
  queries: ControlQueries,
): DataQueries => (control === data ? (queries as unknown as DataQueries) : data);

/**
 * Runs two steps in one transaction, if one database has both sides. Otherwise each is a transaction of its own; the second decides,
 * and after a crash in between only the first is done (docs/decisions/0043-which-side-commits-first.md).
 */
export async function transactInTurn<First, T>(
  database: Pick<Database, "control" | "data" | "queries" | "outbox">,
  first: (queries: ControlQueries) => Promise<First>,
  second: (queries: DataQueries, done: First) => Promise<T>,
): Promise<T> {
  if (database.control === database.data)
    return transact(database, async (queries) => second(queries, await first(queries)));
  const done = await transactControl(database, first);
  return transactData(database, (queries) => second(queries, done));
}

/** Runs a transaction on the tables of both sides like `transactControl`, for the helpers of this file and for tests. */
export const transact = <T>(
  { queries, outbox }: Pick<Database, "queries" | "outbox">,
  run: (queries: Queries) => Promise<T>,
): Promise<T> => transactControl({ control: queries, outbox }, run);

/**
 * Runs a transaction on the data tables like `transactControl`. It records an audited change only if the audit is in the same
 * database, which otherwise follows afterwards.
 */
export const transactData = <T>(
  { data, queries, outbox }: Pick<Database, "data" | "queries" | "outbox">,
  run: (queries: DataQueries) => Promise<T>,
): Promise<T> => (data === queries ? transact({ queries, outbox }, run) : repeatTransaction(data, run));
