/** Begins, accepts and ends the operations of writes, many of them in one commit. */
import { elapsedMs, now } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import type { NewWork } from "../jobs/new-work.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import { openSharedCommit } from "../jobs/shared-commit.ts";
import { openActs } from "./begin-acts.ts";
import {
  appendToGroup,
  insertAcceptedWrites,
  type AcceptedWrite,
  type GroupedWrite,
} from "../store/operations/accept-writes.ts";
import { type Database, transactData } from "../store/database/database.ts";
import type { DataQueries } from "../store/database/sides.ts";
import {
  endOperations,
  insertOperations,
  type EndedOperation,
  type NewOperation,
} from "../store/operations/operations.ts";
import type { WriteVerdict } from "../store/operations/failing-writes.ts";
import { prepareAnswers, storeAnswers, type KeyedAnswer } from "../store/access/idempotency-keys.ts";
import type { AgentTrace } from "../store/agents/agent-operations.ts";
import { markCalled, wakeWriters, type CalledWrite } from "../store/operations/write-queue.ts";
import {
  isDatabaseAway,
  mayBeCommitted,
  retryWhileDatabaseIsDown,
  isTookTooLong,
} from "../store/database/database-outage.ts";

/** An operation that has ended, and the answer that a repeated request gets: of a success whose request had an idempotency key. */
type AnsweredOperation = EndedOperation & {
  answer?: Omit<KeyedAnswer, "operationId"> | undefined;
  /** What a write tells of the provider. */
  judged?: Omit<WriteVerdict, "operationId" | "time"> | undefined;
};

export interface OperationLedger {
  /**
   * Commits an operation before the provider is called, so that every request there can be traced here. For an
   * agent it also claims the key and counts against the budget: if it throws `KeyTakenError` or `UsedUpError`, nothing is stored.
   */
  begin(operation: NewOperation, agent?: AgentTrace): Promise<void>;
  /** Commits an asynchronous write. After this the caller may answer. */
  accept(write: AcceptedWrite): Promise<void>;
  /** Commits a record to its group and returns the id of the group's operation. */
  group(write: GroupedWrite): Promise<string>;
  /**
   * Commits that a create is about to be sent, and for how long it may be repeated if its answer is lost. Throws when this process
   * has lost its claim.
   */
  called(operationId: string, repeatableMs: number | undefined): Promise<void>;
  /**
   * Ends an operation and records its event in the same commit. While the database is down it does not wait: the caller
   * gets its answer, and the end is written when the database is back.
   */
  end(operation: AnsweredOperation): Promise<void>;
  /** The same without a waiting caller: collects several ends for one commit, and resolves after it. */
  endLater(operation: AnsweredOperation): Promise<void>;
  /** Returns the milliseconds since the last operation was begun for a waiting caller. */
  idleMs(): number;
}

interface LedgerServices {
  database: Database;
  identity: ProcessIdentity;
  log: Log;
  newWrites: NewWork;
  /** Counts what ended writes tell of the provider; absent: nobody does. */
  verdicts?: { add(verdict: WriteVerdict): void };
}

export function openOperationLedger(deps: LedgerServices): OperationLedger {
  const { data } = deps.database;
  const withClaim = <Operation>(operation: Operation) => ({ ...operation, claimedBy: deps.identity.id });
  const begin = openSharedCommit<NewOperation>((operations) =>
    insertOperations(data, operations.map(withClaim)),
  );
  const beginAct = openActs(deps.database);
  const accept = openSharedCommit<AcceptedWrite>((writes) => insertAcceptedWrites(data, writes));
  const group = commitGroups(deps.database);
  const announce = openAnnouncing(data, deps.newWrites);
  const called = openSharedCommit<CalledWrite>((writes) => markCalled(data, deps.identity.id, writes), {
    maxUnderWay: 1,
    gather: { items: 64, ms: 2 },
  });
  const endAll = (operations: AnsweredOperation[]) => endJudged(deps, operations);
  const end = openSharedCommit<AnsweredOperation>(endAll);
  const endLater = openSharedCommit<AnsweredOperation>(endAll, {
    maxUnderWay: 1,
    gather: { items: 128, ms: 4 },
  });
  // Ending an operation twice changes nothing, so this may be retried.
  const insist = (operation: AnsweredOperation) => retryWhileDatabaseIsDown(() => endLater.add(operation));
  const endWithoutWaiting = (operation: AnsweredOperation): void => {
    insist(operation).catch((error: unknown) =>
      deps.log.error({ operationId: operation.id, err: error }, "an operation's end could not be written"),
    );
  };
  let lastBeginMs = Number.NEGATIVE_INFINITY;
  return {
    idleMs: () => elapsedMs() - lastBeginMs,
    async begin(operation, agent) {
      lastBeginMs = elapsedMs();
      try {
        await (agent ? beginAct({ ...withClaim(operation), agent }) : begin.add(operation));
      } catch (error) {
        if (mayBeCommitted(error)) endWithoutWaiting(endAsNotSent(operation));
        throw error;
      }
    },
    called: (operationId, repeatableMs) => called.add({ operationId, repeatableMs }),
    async end(operation) {
      try {
        await end.add(operation);
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        endWithoutWaiting(operation);
      }
    },
    endLater: insist,
    async accept(write) {
      await accept.add(write).catch((error: unknown) => {
        if (!mayBeCommitted(error)) throw error;
        // The statement skips an operation that is there, so it also finds out whether the first one was carried out.
        return accept.add(write);
      });
      announce();
    },
    async group(write) {
      const item: GroupItem = { write };
      await group.add(item);
      announce();
      return item.masterId ?? write.operation.id;
    },
  };
}

/** Returns a function that wakes the worker of this process, or where it has none, those of the others. They also poll. */
function openAnnouncing(data: DataQueries, newWrites: NewWork): () => void {
  const tellOthers = openSharedCommit<undefined>(() => wakeWriters(data), { maxUnderWay: 1 });
  return () => {
    if (newWrites.hasWorker) newWrites.announce();
    else tellOthers.add(undefined).catch(() => {});
  };
}

/** `masterId` is the id of the group's operation, known after the commit. */
interface GroupItem {
  write: GroupedWrite;
  masterId?: string;
}

const commitGroups = (database: Database) =>
  openSharedCommit<GroupItem>(
    (items) =>
      transactData(database, async (transaction) => {
        // In the order of their keys, so that two processes never wait for each other's locks.
        const ordered = items.toSorted((a, b) => (a.write.groupKey < b.write.groupKey ? -1 : 1));
        for (const item of ordered) item.masterId = await appendToGroup(transaction, item.write);
      }),
    // A record that was added to its group must not be added again.
    { mayRepeat: (error) => !isTookTooLong(error) && !mayBeCommitted(error) },
  );

/**
 * Ends operations with the answers of their requests: in one commit if one database has both. Otherwise the answers are committed
 * first; after a crash in between they do not count, and what a repeated request gets is that the outcome is unknown.
 */
async function endAnswered(
  { control, data }: Pick<Database, "control" | "data">,
  operations: AnsweredOperation[],
): Promise<void> {
  const answers = operations.flatMap(({ id, answer }) => (answer ? [{ operationId: id, ...answer }] : []));
  if (answers.length === 0) return endOperations(data, operations);
  if (control === data) return endOperations(data, operations, storeAnswers(answers));
  await prepareAnswers(control, answers);
  await endOperations(data, operations);
}

async function endJudged(
  { database, verdicts }: Pick<LedgerServices, "database" | "verdicts">,
  operations: AnsweredOperation[],
): Promise<void> {
  await endAnswered(database, operations);
  for (const { id, judged } of operations)
    if (judged) verdicts?.add({ ...judged, operationId: id, time: now() });
}

function endAsNotSent({ id, objectName, messageName = objectName }: NewOperation): EndedOperation {
  const error = "Not sent: the database connection broke before the write could begin";
  const result = `[${messageName}] ${error}`;
  return { id, status: "failure", result, metadata: {}, log: [{ severity: "ERROR", msg: error }] };
}
