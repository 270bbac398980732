/** Keeps the operations of writes: begins, accepts and ends them, many of them in one commit. */
import type { WorkerIdentity } from "../jobs/worker-identity.ts";
import { sharedCommit } from "../jobs/shared-commit.ts";
import {
  appendToGroup,
  insertAcceptedWrites,
  type AcceptedWrite,
  type GroupedWrite,
} from "../store/accept-writes.ts";
import type { Database } from "../store/database.ts";
import {
  endOperations,
  insertOperations,
  type EndedOperation,
  type NewOperation,
} from "../store/operations.ts";
import { markCalled } from "../store/write-queue.ts";

export interface Ledger {
  /** Before the provider is called synchronously: what may happen there must be traceable here. */
  begin(operation: NewOperation): Promise<void>;
  /** Commits an asynchronous write; the caller may answer afterwards. */
  accept(write: AcceptedWrite): Promise<void>;
  /** Commits a record to its group and answers the id of the group's operation. */
  group(write: GroupedWrite): Promise<string>;
  /** Commits that a create is about to be sent. */
  called(operationId: string): Promise<void>;
  /** Ends an operation, and tells its event with the same commit. */
  end(operation: EndedOperation): Promise<void>;
  /** The same where no caller waits: a little later, together with more. */
  endLater(operation: EndedOperation): Promise<void>;
}

/** `onWork` is called when something was accepted that may be executed now. */
export function openLedger(on: { database: Database; identity: WorkerIdentity; onWork(): void }): Ledger {
  const { queries } = on.database;
  const begin = sharedCommit<NewOperation>((operations) =>
    insertOperations(
      queries,
      operations.map((operation) => ({ ...operation, claimedBy: on.identity.id })),
    ),
  );
  const accept = sharedCommit<AcceptedWrite>((writes) => insertAcceptedWrites(queries, writes));
  const group = sharedCommit<{ write: GroupedWrite; masterId?: string }>((items) =>
    queries.transaction().execute(async (transaction) => {
      // In the order of their keys, so that two processes never wait for each other's locks.
      const ordered = items.toSorted((a, b) => (a.write.groupKey < b.write.groupKey ? -1 : 1));
      for (const item of ordered) item.masterId = await appendToGroup(transaction, item.write);
    }),
  );
  const called = sharedCommit<string>((ids) => markCalled(queries, ids));
  const endAll = (operations: EndedOperation[]) => endOperations(queries, operations);
  const end = sharedCommit<EndedOperation>(endAll);
  const endLater = sharedCommit<EndedOperation>(endAll, { mostUnderWay: 1, gather: { items: 100, ms: 2 } });
  return {
    begin: (operation) => begin.add(operation),
    called: (operationId) => called.add(operationId),
    end: (operation) => end.add(operation),
    endLater: (operation) => endLater.add(operation),
    async accept(write) {
      await accept.add(write);
      on.onWork();
    },
    async group(write) {
      const item: { write: GroupedWrite; masterId?: string } = { write };
      await group.add(item);
      on.onWork();
      return item.masterId ?? write.operation.id;
    },
  };
}
