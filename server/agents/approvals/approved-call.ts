/** A writing call of a provider's API that an agent asks for: what is stored of it, and sending it once it is approved. */
import { Problem } from "../../../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import type { Installed } from "../../operations/installation-cache.ts";
import type { ApprovalRow } from "../../store/agents/approvals.ts";
import type { EndedOperation, NewOperation } from "../../store/operations/operations.ts";
import { AgentSession, type Principal } from "../agent-session.ts";
import type { ProjectRef } from "../../http/endpoint.ts";
import type { CallOperation } from "../api-operations.ts";
import { MAY_HAVE_HAPPENED } from "./approved-write.ts";
import type { CustomerCall } from "../customer-call.ts";
import type { CustomerIntegration } from "../customer-objects.ts";
import { digestAct, SAME_ACT_MINUTES, storeApproval } from "./request-approval.ts";

/** The body of the operation `callProvider`. */
export interface ProviderRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A call that waits for approval, as stored. */
export interface ApprovedCall {
  kind: "call";
  integration: string;
  connectionId: string;
  request: ProviderRequest;
  principal: Principal;
}

/** Stores a call for a decision: nothing is sent. The same call within ten minutes gets the same approval. */
export async function askForCall(
  { deps, session, policy }: CustomerCall,
  { name: integration, installed }: CustomerIntegration,
  { args, request }: { args: object; request: ProviderRequest },
): Promise<ApprovalRow> {
  const { project, groupRef, principal, actor, requestId } = session;
  const { id: installationId, connectionId } = installed.installation;
  const act: ApprovedCall = { kind: "call", integration, connectionId, request, principal };
  const key = digestAct([groupRef, principal.kind, principal.id, installationId, request]);
  const asked = {
    projectId: project.id,
    groupRef,
    principal,
    actor,
    policy,
    tool: "call_api",
    arguments: JSON.parse(JSON.stringify(args)) as JsonObject,
    requestId,
    requestKey: { key, keptMs: SAME_ACT_MINUTES * deps.minuteMs },
  };
  return storeApproval(deps, asked, {
    integration,
    installationId,
    objectName: null,
    recordId: null,
    act: JSON.parse(JSON.stringify(act)) as JsonObject,
    before: null,
    after: null,
  });
}

/** Describes the operation of an approved call. */
export const createCallOperation = (
  { operationId, requestId, projectId, actor }: ApprovalRow,
  { installation, integration }: Installed,
  { request }: ApprovedCall,
): NewOperation => ({
  id: operationId ?? "",
  projectId,
  integrationId: integration.id,
  installationId: installation.id,
  configId: installation.config.id,
  actionType: "write",
  objectName: "call_api",
  messageName: nameCall(request),
  requestId: requestId ?? "",
  actor,
});

const MAX_NAME = 200;

/** Without the query. */
const nameCall = ({ method, path }: ProviderRequest): string =>
  `${method} ${path.split("?")[0] ?? ""}`.slice(0, MAX_NAME);

interface SendServices {
  ledger: OperationLedger;
  callOperation: CallOperation;
}

interface Outcome {
  approval: { status: "executed" | "failed"; reason?: string };
  ended: Pick<EndedOperation, "status" | "result" | "log">;
}

/** Sends an approved call, whose operation was begun, and ends the operation with what is known. */
export async function sendApprovedCall(
  deps: SendServices,
  {
    approval,
    act,
    installed,
    project,
  }: { approval: ApprovalRow; act: ApprovedCall; installed: Installed; project: ProjectRef },
): Promise<Outcome["approval"]> {
  const { operationId } = approval;
  const { installation, integration } = installed;
  const session = new AgentSession({
    project,
    groupRef: installation.groupRef,
    rights: new Set(["proxy"]),
    principal: act.principal,
    requestId: approval.requestId ?? "",
  });
  const { requestId, caller } = session;
  const params = { integrationId: integration.id, installationId: installation.id };
  const call = { project, caller, requestId, params, body: act.request };
  const send = async () => deps.callOperation("callProvider", call);
  const outcome = await send().then(describeAnswer, describeRefusal);
  const { status, result, log } = outcome.ended;
  const id = operationId ?? "";
  await deps.ledger.end({ id, status, result: `[${nameCall(act.request)}] ${result}`, metadata: {}, log });
  return outcome.approval;
}

/** Maximum length of the answer's text in the operation's log. */
const MAX_ANSWER = 4_000;

function describeAnswer(answer: unknown): Outcome {
  const { status, body } = isJsonObject(answer) ? answer : {};
  const isDone = typeof status === "number" && status < 400;
  const result = `The provider answered ${String(status)}`;
  const text = typeof body === "string" ? body.slice(0, MAX_ANSWER).toWellFormed() : "";
  const log = [{ severity: isDone ? "INFO" : "ERROR", msg: result, details: { answer: text } } as const];
  if (isDone) return { approval: { status: "executed" }, ended: { status: "success", result, log } };
  return { approval: { status: "failed", reason: `${result}.` }, ended: { status: "failure", result, log } };
}

function describeRefusal(error: unknown): Outcome {
  const problem = error instanceof Problem ? error : undefined;
  const isUnknown = !problem || MAY_HAVE_HAPPENED.has(problem.slug);
  const reason = problem?.options.detail ?? "Busbar failed.";
  const result = isUnknown ? `${reason} Whether the provider did it is unknown.` : reason;
  return {
    approval: { status: isUnknown ? "executed" : "failed", reason: result },
    ended: { status: "failure", result, log: [{ severity: "ERROR", msg: result }] },
  };
}
