/**
 * Erases what is kept of records that were erased at their provider. The data side finds the operations of acts on them; the control
 * side erases approvals and answers by their ids; then the data side erases the rest, in the commit of the events that told of it.
 * If the sides are two databases, the events wait until this last commit, so after a crash all is done again.
 */
import { getDataWithin, type Database } from "../../store/database/database.ts";
import type { ControlQueries, DataQueries } from "../../store/database/sides.ts";
import {
  eraseActs,
  eraseApprovals,
  listActsOn,
  listUnnamedOperations,
  type ErasedApprovals,
  type RecordOfInstallation,
} from "../../store/agents/erase-traces.ts";
import { eraseRecordEvents } from "../../store/subscriptions/subscription-events.ts";

/** `except`: events to keep. */
export type ErasedRecord = RecordOfInstallation & { except: string[] };

/** Carries out the first step on the control side. It may be repeated, and also be the only one. */
export async function eraseOnControl(
  database: Pick<Database, "control" | "data">,
  queries: ControlQueries,
  records: readonly ErasedRecord[],
): Promise<(ErasedRecord & ErasedApprovals)[]> {
  const data = getDataWithin(database, queries);
  const erased: (ErasedRecord & ErasedApprovals)[] = [];
  for (const record of records) {
    const unnamed = await listUnnamedOperations(queries, record.installationId);
    const operations = await listActsOn(data, record, unnamed);
    erased.push({ ...record, ...(await eraseApprovals(queries, record, operations)) });
  }
  return erased;
}

/** Carries out the second step. Call it in the transaction that ends the events. */
export async function eraseOnData(
  queries: DataQueries,
  erased: readonly (ErasedRecord & ErasedApprovals)[],
): Promise<void> {
  for (const record of erased) {
    await eraseRecordEvents(queries, record);
    await eraseActs(queries, record.installationId, record);
  }
}
