/** Calls a provider for one connection: every room that acts for a customer sends its requests through here. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { fetchAuthorized, type Exchange } from "../calls/authorized-fetch.ts";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import {
  judgeAnswer,
  findRateLimit,
  findStrictest,
  withGateTime,
  type RateLimit,
} from "../calls/gates/judge-answer.ts";
import type { SharedGates } from "../calls/gates/shared-gates.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { Egress } from "../egress/egress.ts";
import { markConnectionWorking } from "../store/connections/connection-states.ts";
import { ignoreDatabaseOutage } from "../store/database/database-outage.ts";
import type { Database } from "../store/database/database.ts";
import type { LogEntry } from "../store/operations/operations.ts";

export interface CallServices {
  database: Database;
  catalog: Catalog;
  connections: LiveConnections;
  egress: Egress;
  gates: SharedGates;
  /** How long a provider may take to answer one request. */
  providerTimeoutMs?: number;
}

/** The outcome of one of several records or fields. */
export type CallOutcome = { success: true } | { success: false; error: ProviderError };

interface CallOptions<Result> {
  projectId: string;
  connectionId: string;
  /** Receives an entry per request. */
  log?: LogEntry[];
  /** Instead of the usual time for one request. */
  timeoutMs?: number;
  /** Outcomes that the result holds, where errors are not thrown but reported per record. */
  outcomesIn?(result: Result): CallOutcome[];
}

export interface ProviderCall {
  connection: LiveConnection;
  /** Undefined where Busbar knows of the provider only how to connect and to proxy. */
  connector: Connector | undefined;
  fetch: ProviderFetch;
}

/**
 * Runs `run` with a fetch that carries the connection's credentials. A closed gate refuses the call before anything is
 * done, with `ClosedGateError`; a call that has begun is finished. A rate limit in any answer or outcome, unless
 * it is one of some requests only, closes the gate for everybody; the first success marks the connection as working. Throws `ProviderError` where the connection
 * cannot be used, and what `run` throws.
 */
export async function callProvider<Result>(
  deps: CallServices,
  options: CallOptions<Result>,
  run: (call: ProviderCall) => Promise<Result>,
): Promise<Result> {
  const { connectionId } = options;
  // Before the connection is looked up, which may refresh a token: a locked account must be left alone.
  const gate = deps.gates.closedUntil(connectionId);
  if (gate) throw new ClosedGateError(gate);
  const limits: RateLimit[] = [];
  try {
    const call = await openCall(deps, options, (limit) => limits.push(limit));
    const result = await run(call);
    const outcomes = options.outcomesIn?.(result) ?? [{ success: true }];
    await closeGate(deps, connectionId, limits, listFailures(outcomes));
    if (outcomes.some(({ success }) => success)) await noteSuccess(deps, call.connection);
    return result;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await closeGate(deps, connectionId, limits, [error]);
    throw withGateTime(error, deps.gates.closedUntil(connectionId));
  }
}

async function openCall(
  deps: CallServices,
  { projectId, connectionId, log, timeoutMs }: Omit<CallOptions<never>, "outcomesIn">,
  onLimit: (limit: RateLimit) => void,
): Promise<ProviderCall> {
  const connection = await deps.connections.find(projectId, connectionId);
  if (!connection) {
    const message = "The connection was deleted. The customer has to connect the account again.";
    throw new ProviderError({ kind: "forbidden", message });
  }
  const connector = deps.catalog.of(projectId).connector(connection.provider.name);
  const onAnswer = (answer: ProviderResponse) => {
    if (answer.status < 400) return;
    const limit = judgeAnswer(answer, connector?.classify, connection.account);
    if (limit) onLimit(limit);
  };
  const fetch = fetchAuthorized(deps, connection, {
    connector,
    timeoutMs: timeoutMs ?? deps.providerTimeoutMs,
    onExchange: (exchange) => log?.push(buildExchangeEntry(exchange)),
    onAnswer,
  });
  return { connection, connector, fetch };
}

const listFailures = (outcomes: CallOutcome[]): ProviderError[] =>
  outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error]));

/** Waits until other processes can know, so that none of them takes up a write that is put back. */
async function closeGate(
  { gates }: CallServices,
  connectionId: string,
  limits: RateLimit[],
  errors: ProviderError[],
): Promise<void> {
  if (limits.length + errors.length === 0) return;
  const all = [...limits, ...errors.flatMap((error) => findRateLimit(error) ?? [])];
  // A limit of searches must not hold up people's writes.
  const limit = findStrictest(all.filter(({ isPartialLimit }) => !isPartialLimit));
  if (limit) await gates.closeForAll(connectionId, limit);
}

async function noteSuccess({ database, gates }: CallServices, connection: LiveConnection): Promise<void> {
  const { id, projectId, status } = connection;
  if (!gates.closedUntil(id)) gates.accepted(id);
  if (status === "created") {
    await ignoreDatabaseOutage(() => markConnectionWorking(database.control, projectId, id));
  }
}

/** Returns the entry of an operation's log for a request that it sent to the provider. */
const buildExchangeEntry = ({ method, path, status, failure }: Exchange): LogEntry => ({
  severity: "DEBUG",
  msg: `${method} ${path} → ${status ?? failure}`,
});

/** Returns whether the entry is of a request to the provider: nothing else is logged as `DEBUG`. */
export const isExchange = (entry: LogEntry): boolean => entry.severity === "DEBUG";
