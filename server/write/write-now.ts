/** Carries out a synchronous write: operation begun, provider called, operation ended, answer or refusal. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { authorizedFetch } from "../calls/authorized-fetch.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { Egress } from "../egress/open-egress.ts";
import { Problem } from "../ground/errors.ts";
import { markConnectionWorking } from "../store/connections.ts";
import type { Database } from "../store/database.ts";
import type { LogEntry } from "../store/operations.ts";
import { writeAnswerOf, type WriteAnswer } from "./write-response.ts";
import { execute, type Execution } from "./execute.ts";
import type { WriteTarget } from "./find-target.ts";
import type { OperationLedger } from "../operations/operation-ledger.ts";
import type { WritePlan } from "./plan.ts";
import {
  exchangeEntry,
  isExchange,
  outcomeEntries,
  plannedEntry,
  settledEntries,
  summarize,
} from "./operation-log.ts";
import { ignoreDatabaseOutage } from "../store/database-outage.ts";

export interface WriteNowServices {
  database: Database;
  connections: LiveConnections;
  egress: Egress;
  ledger: OperationLedger;
  /** How long a provider may take to answer one request. */
  providerTimeoutMs?: number;
}

/** The answer; throws the refusal as a Problem that carries the result members too. */
export async function writeNow(
  deps: WriteNowServices,
  operationId: string,
  target: WriteTarget,
  plan: WritePlan,
): Promise<WriteAnswer> {
  const { installation, integration } = target;
  // Before the provider is called: what may have happened there must be traceable here.
  await deps.ledger.begin({
    id: operationId,
    projectId: installation.projectId,
    integrationId: integration.id,
    installationId: installation.id,
    configId: installation.config.id,
    actionType: "write",
    objectName: plan.objectName,
  });
  const log = [plannedEntry(plan)];
  const execution = await carryOut(deps, target, plan, log).catch((error: unknown) =>
    failed(deps, operationId, plan, log, error),
  );
  const { outcomes, warnings } = execution;
  log.push(...settledEntries(plan.records, execution.plan.records, plan.batch));
  log.push(...outcomeEntries(outcomes, warnings, plan.batch));
  await deps.ledger.end({ id: operationId, ...summarize(plan, outcomes), log });
  return writeAnswerOf(operationId, execution);
}

/** A fault of ours: ends the operation and throws. Once the provider was called, nobody may take it for nothing. */
async function failed(
  deps: WriteNowServices,
  operationId: string,
  { objectName }: WritePlan,
  log: LogEntry[],
  cause: unknown,
): Promise<never> {
  const wasCalled = log.some(isExchange);
  log.push({ severity: "ERROR", msg: "Busbar failed while writing", error: String(cause) });
  const what = wasCalled ? "the outcome is unknown" : "nothing was sent";
  const result = `[${objectName}] Internal error; ${what}`;
  await deps.ledger.end({ id: operationId, status: "failure", result, metadata: {}, log });
  if (!wasCalled) throw cause;
  throw new Problem("internal", {
    detail:
      "Busbar failed after it had called the provider; whether anything was written is unknown. Look it up at the " +
      "provider before you repeat the request.",
    retryable: false,
    cause,
    extensions: { operationId },
  });
}

async function carryOut(
  deps: WriteNowServices,
  target: WriteTarget,
  plan: WritePlan,
  log: LogEntry[],
): Promise<Execution> {
  const { projectId, connectionId } = target.installation;
  const connection = await usable(deps, projectId, connectionId);
  if (connection instanceof ProviderError) return refused(plan, connection);
  const { connector } = target;
  const fetch = authorizedFetch(deps, connection, {
    connector,
    timeoutMs: deps.providerTimeoutMs,
    onExchange: (exchange) => log.push(exchangeEntry(exchange)),
  });
  const execution = await execute(plan, connector.write, fetch, {
    readBack: true,
    account: connection.account,
  });
  if (connection.status === "created" && execution.outcomes.some((outcome) => outcome.success)) {
    await ignoreDatabaseOutage(() => markConnectionWorking(deps.database.queries, projectId, connectionId));
  }
  return execution;
}

async function usable(
  deps: WriteNowServices,
  projectId: string,
  connectionId: string,
): Promise<LiveConnection | ProviderError> {
  try {
    const message = "The installation's connection was deleted. Connect again.";
    return (
      (await deps.connections.find(projectId, connectionId)) ??
      new ProviderError({ kind: "forbidden", message })
    );
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

/** The connection cannot be used: every record has that outcome. */
const refused = (plan: WritePlan, error: ProviderError): Execution => ({
  plan,
  outcomes: plan.records.map((): RecordOutcome => ({ success: false, error })),
  warnings: [],
  failure: error,
});
