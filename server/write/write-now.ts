/** Carries out a synchronous write: begins the operation, executes the plan, ends the operation, answers. */
import { Problem } from "../../ground/errors.ts";
import { isExchange } from "../operations/call-provider.ts";
import type { OperationLedger } from "../operations/operation-ledger.ts";
import type { Json } from "../../ground/json.ts";
import type { AgentTrace } from "../store/agents/agent-operations.ts";
import type { Actor, LogEntry } from "../store/operations/operations.ts";
import { executePlan, type ExecuteOptions, type ExecuteServices } from "./execute-plan.ts";
import type { WriteTarget } from "./find-target.ts";
import { withKeys } from "./create-keys.ts";
import { createOperation } from "./create-operation.ts";
import { judgeWrite, describePlan, summarize } from "./operation-log.ts";
import type { WritePlan } from "./plan-write.ts";
import { toWriteAnswer, type WriteAnswer } from "./write-response.ts";

export interface WriteNowServices extends ExecuteServices {
  ledger: OperationLedger;
}

/**
 * Returns the answer; throws a refusal as a Problem that carries the result members too. `firstId`: the operation of the request
 * that this one repeats, or its own.
 */
export async function writeNow(
  deps: WriteNowServices,
  {
    id: operationId,
    firstId,
    key,
    agent,
    isBegun = false,
    mayName,
    ...asked
  }: {
    id: string;
    firstId: string;
    requestId: string;
    actor?: Actor | undefined;
    /** Key under which the answer is kept. */
    key?: string | string[] | undefined;
    /** Trace of an agent's act. */
    agent?: AgentTrace | undefined;
    /** Whether the caller has begun the operation. */
    isBegun?: boolean;
    mayName?: ExecuteOptions["mayName"];
  },
  target: WriteTarget,
  planned: WritePlan,
): Promise<WriteAnswer> {
  const plan = withKeys(planned, firstId);
  const { projectId, connectionId } = target.installation;
  // Stored before the provider is called, so that every call has a record.
  if (!isBegun) await deps.ledger.begin(createOperation(target, plan, { id: operationId, ...asked }), agent);
  const log = [describePlan(plan)];
  const options = { projectId, connectionId, operationId, log, readBack: true, mayName };
  const execution = await executePlan(deps, options, plan).catch((error: unknown) =>
    endFailed(deps, operationId, plan, log, error),
  );
  const answer = readAnswer(() => toWriteAnswer({ id: operationId, connectionId }, execution));
  const kept = "body" in answer &&
    typeof key === "string" && { answer: { projectId, key, body: toJson(answer.body) } };
  const kind = { installationId: target.installation.id, objectName: plan.objectName, writeType: plan.type };
  const judged = judgeWrite(kind, execution.outcomes);
  await deps.ledger.end({ id: operationId, ...summarize(plan, execution.outcomes), log, judged, ...kept });
  if ("refusal" in answer) throw answer.refusal;
  return answer.body;
}

function readAnswer(make: () => WriteAnswer): { body: WriteAnswer } | { refusal: unknown } {
  try {
    return { body: make() };
  } catch (refusal) {
    return { refusal };
  }
}

/** Returns the answer as JSON, without members that are undefined. */
const toJson = (answer: WriteAnswer): Json => JSON.parse(JSON.stringify(answer)) as Json;

/** Ends the operation after a fault of ours and throws. Once the provider was called, a retry is not advised. */
async function endFailed(
  deps: WriteNowServices,
  operationId: string,
  { messageName }: WritePlan,
  log: LogEntry[],
  cause: unknown,
): Promise<never> {
  const wasCalled = log.some(isExchange);
  log.push({ severity: "ERROR", msg: "Busbar failed while writing", error: String(cause) });
  const what = wasCalled ? "the outcome is unknown" : "nothing was sent";
  const result = `[${messageName}] Internal error; ${what}`;
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
