/**
 * Audits management calls that change something or show a secret, in one place for all endpoints. The event is stored in the
 * transaction of the change (`transact`); for the few changes of a single statement, right after it and before the answer.
 */
import type { Caller, Endpoint, Route } from "../http/endpoint.ts";
import { SECRET_PARAMETERS } from "../http/require-role.ts";
import type { Audit, AuditedCall } from "../http/server-options.ts";
import { shortenApiKey, isUuid, newId } from "../../ground/ids.ts";
import { Problem } from "../../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import { withRecordedChange, type RecordedChange } from "../store/database/audit-context.ts";
import { isDatabaseAway } from "../store/database/database-outage.ts";
import { completeAuditEvent, insertAuditEvent, type NewAuditEvent } from "../store/access/audit-events.ts";
import type { Database } from "../store/database/database.ts";

export const openAudit =
  (deps: { database: Database }): Audit =>
  async (route, call, handle) => {
    if (!isAudited(route, call)) return handle();
    const { control } = deps.database;
    const id = newId();
    let stored: NewAuditEvent | undefined;
    const change: RecordedChange = {
      isRecorded: false,
      async record(transaction, result) {
        stored = toAuditEvent(id, route, call, result);
        if (stored) await insertAuditEvent(transaction, stored);
      },
    };
    let isHandled = false;
    try {
      const answer = await withRecordedChange(change, handle);
      isHandled = true;
      const whole = toAuditEvent(id, route, call, answer);
      if (!whole) return answer;
      if (!change.isRecorded || !stored) await insertAuditEvent(control, whole);
      else if (stored.targetId !== whole.targetId || stored.targetName !== whole.targetName) {
        await completeAuditEvent(control, id, { targetId: whole.targetId, targetName: whole.targetName });
      }
      return answer;
    } catch (error) {
      if ((isHandled || change.isRecorded) && isDatabaseAway(error)) throw buildAwayAfterCommit(error);
      throw error;
    }
  };

/** An outage behind the commit must not be answered with "nothing was done": a request that is repeated finds a conflict. */
const buildAwayAfterCommit = (cause: unknown): Problem =>
  new Problem("unavailable", {
    detail:
      "The database does not answer at the moment, but the change, or a part of it, was stored before. Look it up before you send it again.",
    retryable: false,
    cause,
  });

/** Not audited: calls about customers' records, which are listed as operations, and people's own sessions. */
const NOT_AUDITED = /^\/(write|search)\/|^\/read\/.*\/objects\/|^\/callbacks\/|^\/v1\/(sessions|uploads)/;

function isAudited({ method, path }: Route, { query, body }: AuditedCall): boolean {
  if (method === "GET") {
    const values = toObject(query);
    return SECRET_PARAMETERS.some((name) => values[name] !== undefined && values[name] !== false);
  }
  return !NOT_AUDITED.test(path) && toObject(query)["dryRun"] !== true && toObject(body)["dryRun"] !== true;
}

/** Returns undefined if no organisation is known, as for a person who is a member of none. */
function toAuditEvent(
  id: string,
  route: Route,
  call: AuditedCall,
  result: unknown,
): NewAuditEvent | undefined {
  const { caller, project, requestId } = call;
  const orgId = project?.orgId ?? findOrg(route, call, result);
  if (orgId === undefined) return undefined;
  return {
    id,
    orgId,
    projectId: project?.id ?? (route.endpoint.operationId === "createProject" ? findId(result) : null),
    operationId: route.endpoint.operationId,
    ...toActor(caller),
    ...findTarget(route, call, result),
    changed: listChangedMembers(route.endpoint, call),
    requestId,
  };
}

function findOrg(
  { endpoint }: Route,
  { caller, params, body }: AuditedCall,
  result: unknown,
): string | undefined {
  const { orgId } = toObject(params);
  const { orgId: inBody, parentId } = toObject(body);
  const named = [orgId, inBody, parentId].find((value) => typeof value === "string" && isUuid(value));
  if (typeof named === "string") return named.toLowerCase();
  if (endpoint.operationId === "createOrg") return findId(result) ?? undefined;
  if (endpoint.operationId === "acceptInvite") {
    const { org } = toObject(toObject(result)["orgRole"]);
    return findId(org) ?? undefined;
  }
  return caller.orgId;
}

type Actor = Pick<NewAuditEvent, "actorKind" | "actorId" | "actorGroup" | "agentName">;

function toActor(caller: Caller): Actor {
  const actorGroup = caller.groupRef ?? null;
  if (caller.agent) {
    const { id, name, client, groupRef = null } = caller.agent;
    return { actorKind: "agent", actorId: id, actorGroup: groupRef, agentName: name ?? client };
  }
  if (caller.builderId !== undefined) return { actorKind: "person", actorId: caller.builderId, actorGroup };
  if (caller.apiKeyId !== undefined) return { actorKind: "apiKey", actorId: caller.apiKeyId, actorGroup };
  const consumer = caller.consumerRef === undefined ? null : `consumer:${caller.consumerRef}`;
  return { actorKind: "system", actorId: consumer, actorGroup };
}

type Target = Pick<NewAuditEvent, "targetKind" | "targetId" | "targetName">;

/** Returns the resource that the path names last or, where the call creates one, that of the result. */
function findTarget({ path }: Route, { params, project }: AuditedCall, result: unknown): Target {
  const steps = path.split("/").map((step) => step.split(/:(?!\/)/)[0] ?? "");
  const collection = steps.findLast((step) => step !== "" && !step.startsWith("{")) ?? "";
  const last = /^\{(\w+)\}$/.exec(steps.at(-1) ?? "")?.[1];
  const named = last === undefined ? undefined : toObject(params)[last];
  const text = typeof named === "string" ? showName(last, named) : undefined;
  const shown = toObject(result);
  if (last === "projectIdOrName" && project) {
    return { targetKind: "project", targetId: project.id, targetName: project.name };
  }
  const name = ["name", "label", "groupRef"]
    .map((member) => shown[member])
    .find((value) => typeof value === "string");
  return {
    targetKind: KINDS[collection] ?? toSingular(collection),
    targetId: findId(result) ?? text ?? null,
    targetName: typeof name === "string" ? name : text !== undefined && !isUuid(text) ? text : null,
  };
}

/** A key may be named by itself: the audit keeps what lists show of it. */
const showName = (parameter: string | undefined, name: string): string =>
  parameter === "apiKey" && !isUuid(name) ? shortenApiKey(name) : name;

/** Collections whose resource has another name. */
const KINDS: Record<string, string> = {
  orgs: "organisation",
  "notification-event-topic-routes": "eventTopicRoute",
  "oauth-connect": "connection",
  connect: "connection",
};

const toSingular = (collection: string): string =>
  collection
    .replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())
    .replace(/ies$/, "y")
    .replace(/s$/, "");

/** Names of members only: values may be secrets. */
function listChangedMembers({ body: schema }: Endpoint, { body }: AuditedCall): string[] {
  if (!schema) return [];
  const values = toObject(body);
  const { updateMask } = values;
  const names = Array.isArray(updateMask) ? updateMask.map(String) : Object.keys(values);
  return names.slice(0, MAX_NAMES).map((name) => name.slice(0, 200));
}

const MAX_NAMES = 100;

const findId = (value: unknown): string | null => {
  const { id } = toObject(value);
  return typeof id === "string" ? id : null;
};

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
