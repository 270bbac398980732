/** Audits what an agent's call asked for, was refused, or tried as a dry run. What it did is an operation, or audited as a call of the API. */
import { nowMs } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { countAuditEvent, type AuditOutcome, type NewAuditEvent } from "../store/access/audit-events.ts";
import type { Database } from "../store/database/database.ts";
import type { AgentSession } from "./agent-session.ts";

/** Audits what became of a call of a tool, before the result is sent. */
export type AuditAgentCall = (
  session: AgentSession,
  call: { tool: string; args: unknown; result: JsonObject },
) => Promise<void>;

export const auditAgentCalls =
  ({ database, minuteMs }: { database: Database; minuteMs: number }): AuditAgentCall =>
  async (session, { tool, args, result }) => {
    const outcome = chooseOutcome(result);
    if (!outcome) return;
    const { project, requestId, actor } = session;
    const target = findTarget(isJsonObject(args) ? args : {}, result);
    const event: NewAuditEvent = {
      id: newId(),
      orgId: project.orgId,
      projectId: project.id,
      operationId: tool,
      actorKind: "agent",
      actorId: actor.id,
      agentName: actor.name ?? actor.client,
      actorGroup: session.customer ?? null,
      ...target,
      changed: listChanged(args),
      outcome,
      requestId,
    };
    const hour = Math.floor(nowMs() / (60 * minuteMs));
    await countAuditEvent(database.control, event, nameEqual(event, result, hour));
  };

/**
 * Names what makes calls equal, of which there is one event an hour: an agent in a loop would fill the audit. Refusals are equal for
 * whatever they were about, since an agent chooses the names and ids that it sends; the others are about something that exists.
 */
function nameEqual(event: NewAuditEvent, { problem }: JsonObject, hour: number): string {
  const { projectId, actorId, actorGroup, operationId, outcome, targetKind, targetId, targetName } = event;
  const { type, status } = isJsonObject(problem) ? problem : {};
  const about =
    outcome === "refused"
      ? [status, typeof type === "string" ? type.split("/").at(-1) : undefined]
      : targetKind === "approval"
        ? [targetId]
        : [targetName?.toLowerCase()];
  return JSON.stringify([hour, projectId, actorId, actorGroup, operationId, outcome, ...about]);
}

/** Statuses with which the policy, the budgets and scopes refuse. A faulty argument has another status. */
const REFUSALS: readonly (Json | undefined)[] = [403, 429];

function chooseOutcome({ status, repeated, problem }: JsonObject): AuditOutcome | undefined {
  if (isJsonObject(problem)) return REFUSALS.includes(problem["status"]) ? "refused" : undefined;
  if (repeated === true) return undefined;
  return status === "dry_run" || status === "approval_required" ? status : undefined;
}

type Target = Pick<NewAuditEvent, "targetKind" | "targetId" | "targetName">;

function findTarget(args: JsonObject, { approval }: JsonObject): Target {
  const [object, id, operationId] = ["object", "id", "operationId"].map((name) => text(args[name]));
  const approvalId = isJsonObject(approval) ? text(approval["approvalId"]) : undefined;
  if (approvalId !== undefined)
    return { targetKind: "approval", targetId: approvalId, targetName: object ?? null };
  if (id !== undefined) return { targetKind: "record", targetId: id, targetName: object ?? null };
  if (operationId !== undefined) return { targetKind: "operation", targetId: operationId, targetName: null };
  const named = object ?? text(args["integration"]);
  if (named === undefined) return { targetKind: null, targetId: null, targetName: null };
  return { targetKind: object === undefined ? "integration" : "object", targetId: named, targetName: named };
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value.slice(0, 500) : undefined;

const MAX_NAMES = 100;

/** Names of fields only: values may be secrets. */
function listChanged(args: unknown): string[] {
  const record = isJsonObject(args) ? args["record"] : undefined;
  const names = isJsonObject(record) ? Object.keys(record) : [];
  return names.slice(0, MAX_NAMES).map((name) => name.slice(0, 200));
}
