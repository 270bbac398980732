/** One attempt at an asynchronous write: send what has no outcome yet, then end it or put it back for later. */
import type { Catalog } from "../../connectors/catalog.ts";
import type { Connector, RecordOutcome } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { authorizedFetch } from "../calls/authorized-fetch.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { SharedGates } from "../calls/gates/shared-gates.ts";
import type { Egress } from "../egress/open-egress.ts";
import { nowMs } from "../ground/clock.ts";
import type { RunResult } from "../jobs/fair-slots.ts";
import { markConnectionWorking } from "../store/connections.ts";
import type { Database } from "../store/database.ts";
import type { InstallationFieldsRow } from "../store/events.ts";
import type { LogEntry } from "../store/operations.ts";
import { releaseWrites, rescheduleWrite, type ClaimedWrite } from "../store/write-queue.ts";
import { execute } from "./execute.ts";
import type { OperationLedger } from "../operations/operation-ledger.ts";
import { decideRetry, gateUntil, mayRepeat, deadlinePassed, type RetryDecision } from "./retry.ts";
import {
  pendingPlan,
  readOutcome,
  readRecords,
  readSendOptions,
  storeOutcome,
  toJson,
  type StoredRecord,
  type SendOptions,
} from "./queued-write.ts";
import {
  exchangeEntry,
  outcomeEntries,
  plannedEntry,
  settledEntries,
  successEntries,
  summarize,
} from "./operation-log.ts";
import type { InstallationCache } from "../operations/installation-cache.ts";
import { ignoreDatabaseOutage, retryWhileDatabaseIsDown } from "../store/database-outage.ts";
import { writeDone } from "./write-done.ts";

export interface AttemptWriteServices {
  database: Database;
  catalog: Catalog;
  connections: LiveConnections;
  egress: Egress;
  gates: SharedGates;
  ledger: OperationLedger;
  installations: InstallationCache;
  workerId: () => number;
  retryBaseMs: number;
  providerTimeoutMs?: number;
}

/** Where the write goes, as things stand now rather than when it was accepted. */
interface Way {
  connection: LiveConnection;
  connector: Connector & { write: NonNullable<Connector["write"]> };
}

/**
 * Never throws for what a provider or a customer does; the write is ended, rescheduled or released when it returns.
 * `onAnswer` is called when the provider is done with it, before that is committed: the next call need not wait.
 */
export async function attemptWrite(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  onAnswer: (result: RunResult) => void,
): Promise<void> {
  const records = readRecords(write.records);
  const sendOptions = readSendOptions(write.sendOptions);
  const fields = await deps.installations.fields(write.installationId);
  const gate = fields && deps.gates.closedUntil(fields.connectionId);
  const late = deadlinePassed(write, write.closedUntil ?? gate?.until, nowMs());
  if (late) {
    onAnswer("given-up");
    return giveUp(deps, write, sendOptions, late, fields);
  }
  if (gate) {
    // Told to wait after it was claimed. The gate in the database keeps it from being claimed again too early.
    onAnswer("not-sent");
    return releaseWrites(deps.database.queries, deps.workerId(), [write.operationId]);
  }
  const log: LogEntry[] = [];
  const outcomes = await send(deps, write, sendOptions, records, fields?.connectionId, log);
  let index = 0;
  const updated = records.map((record) =>
    record.outcome ? record : { ...record, outcome: storeOutcome(outcomes[index++] ?? lost()) },
  );
  const attempts = write.attempts + 1;
  const repeatUnknown = sendOptions.onUnknownOutcome === "retry";
  const { deadline } = write;
  const { allOrNone } = sendOptions;
  const retryTerms = { deadline, attempts, baseMs: deps.retryBaseMs, repeatUnknown, allOrNone };
  const decision = decideRetry(outcomes, retryTerms, nowMs());
  if (decision.closesGate && fields) await tellToWait(deps, fields.connectionId, decision, outcomes);
  onAnswer(decision.closesGate ? "rate-limited" : "sent");
  if (decision.at) return putBack(deps, write, sendOptions, updated, { at: decision.at, attempts, log });
  return finish(deps, write, sendOptions, updated, { attempts, log, fields });
}

/** Ends what can be tried no more; what has an outcome keeps it. */
function giveUp(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  sendOptions: SendOptions,
  error: ProviderError,
  fields: InstallationFieldsRow | undefined,
): Promise<void> {
  const outcome = storeOutcome({ success: false, error });
  const records = readRecords(write.records).map((record) => ({ outcome, ...record }));
  const log: LogEntry[] = [{ severity: "ERROR", msg: "Given up", error: error.message }];
  return finish(deps, write, sendOptions, records, { attempts: write.attempts, log, fields });
}

const lost = (): RecordOutcome => ({
  success: false,
  error: new ProviderError({ kind: "unreadable", message: "The provider's answer left this record out." }),
});

async function send(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  sendOptions: SendOptions,
  records: StoredRecord[],
  connectionId: string | undefined,
  log: LogEntry[],
): Promise<RecordOutcome[]> {
  const plan = pendingPlan(write, sendOptions, records);
  if (write.attempts === 0) log.push(plannedEntry(plan));
  try {
    const { connection, connector } = await way(deps, write, connectionId);
    if (write.writeType === "create") await deps.ledger.called(write.operationId);
    const fetch = authorizedFetch(deps, connection, {
      connector,
      timeoutMs: deps.providerTimeoutMs,
      onExchange: (exchange) => log.push(exchangeEntry(exchange)),
    });
    const execution = await execute(plan, connector.write, fetch, {
      readBack: false,
      account: connection.account,
    });
    log.push(...settledEntries(plan.records, execution.plan.records, sendOptions.batch));
    log.push(...outcomeEntries(execution.outcomes, execution.warnings, sendOptions.batch));
    if (connection.status === "created" && execution.outcomes.some((outcome) => outcome.success)) {
      const { projectId, id } = connection;
      await ignoreDatabaseOutage(() => markConnectionWorking(deps.database.queries, projectId, id));
    }
    return execution.outcomes;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const outcomes = plan.records.map((): RecordOutcome => ({ success: false, error }));
    log.push(...outcomeEntries(outcomes.slice(0, 1), [], false));
    return outcomes;
  }
}

/** Throws `ProviderError`, so that a connection that cannot be used is an outcome like any other. */
async function way(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  connectionId: string | undefined,
): Promise<Way> {
  if (!connectionId) throw gone("The installation was deleted before the write was carried out.");
  const connection = await deps.connections.find(write.projectId, connectionId);
  if (!connection) throw gone("The installation's connection was deleted before the write was carried out.");
  const connector = deps.catalog.connector(connection.provider.name);
  if (!connector?.write) throw gone(`Busbar can no longer write to ${connection.provider.name}.`);
  return { connection, connector: { ...connector, write: connector.write } };
}

const gone = (message: string): ProviderError => new ProviderError({ kind: "forbidden", message });

/** Closes the connection for everyone: the other writes here, other machines, the proxy's throttle mode. */
async function tellToWait(
  deps: AttemptWriteServices,
  connectionId: string,
  decision: RetryDecision,
  outcomes: RecordOutcome[],
): Promise<void> {
  const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error]));
  await deps.gates.close(connectionId, gateUntil(decision, errors, nowMs(), deps.retryBaseMs), true);
}

async function putBack(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  sendOptions: SendOptions,
  records: StoredRecord[],
  next: { at: Date; attempts: number; log: LogEntry[] },
): Promise<void> {
  const repeatUnknown = sendOptions.onUnknownOutcome === "retry";
  // What may be repeated is forgotten; what is settled, well or not, stays settled.
  const kept = records.map(({ planned, outcome }) => {
    if (!outcome) return { planned };
    const read = readOutcome(outcome);
    return read.success || !mayRepeat(read.error, repeatUnknown) ? { planned, outcome } : { planned };
  });
  const entry: LogEntry = {
    severity: "WARNING",
    msg: `Attempt ${next.attempts} failed; next at ${next.at.toISOString()}`,
  };
  const back = {
    operationId: write.operationId,
    workerId: deps.workerId(),
    records: kept.map(toJson),
    dueTime: next.at,
    attempts: next.attempts,
    log: [...next.log, entry],
  };
  // What became of the records is known here only.
  await retryWhileDatabaseIsDown(() => rescheduleWrite(deps.database.queries, back));
}

async function finish(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  sendOptions: SendOptions,
  records: StoredRecord[],
  end: { attempts: number; log: LogEntry[]; fields: InstallationFieldsRow | undefined },
): Promise<void> {
  const outcomes = records.map((record) => (record.outcome ? readOutcome(record.outcome) : lost()));
  const shape = { type: write.writeType, objectName: write.objectName, batch: sendOptions.batch };
  const summary = summarize(shape, outcomes);
  const { attempts, log, fields } = end;
  const retry = { attempts, lastAttempt: new Date(nowMs()).toISOString() };
  await deps.ledger.endLater({
    id: write.operationId,
    ...summary,
    metadata: write.attempts > 0 ? { ...summary.metadata, retry } : summary.metadata,
    log: sendOptions.grouped ? [...log, ...successEntries(outcomes)] : log,
    event: writeDone(fields, write, outcomes),
  });
}
