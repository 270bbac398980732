/** Undoes what an agent wrote: restores the fields that nobody has changed since, by the same code and policy as any write. */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { findAgentChange, type DoneChange } from "../store/agents/agent-changes.ts";
import { findTarget } from "../write/find-target.ts";
import { planWrite } from "../write/plan-write.ts";
import type { WriteRequest } from "../write/write-request.ts";
import { containsHidden, listHiddenNames } from "./agent-fields.ts";
import { defineTool } from "./agent-tool.ts";
import { WriteResult } from "./agent-writes.ts";
import { hashCanonical, readCurrentRecord } from "./approvals/approved-write.ts";
import type { CustomerCall } from "./customer-call.ts";
import { findObject, type CustomerObject } from "./customer-objects.ts";
import { askForWrite, previewWrite, writeOnce, type PlannedWrite } from "./planned-write.ts";
import { isHidden } from "./policy/policy.ts";
import { decideByRuleOn, decideOn, refuseByPolicy } from "./policy/require-allowed.ts";

export const undoOperationTool = defineTool({
  name: "undo_operation",
  title: "Undo an operation",
  description:
    "Undoes a write of an agent. Of an update, the fields that nobody has changed since get their values of before; `withheld` says " +
    "which do not, and why. A created record is deleted if nobody has changed it, where deletion is enabled. A deletion and call_api " +
    "cannot be undone. A result with the status `approval_required` waits for a person; do not try another way.",
  input: Type.Object({
    operationId: Type.String({ minLength: 1, maxLength: 100, description: "Id of the write's operation." }),
    dryRun: Type.Optional(Type.Boolean({ description: "Shows what would be sent. Sends nothing." })),
  }),
  output: WriteResult,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  rights: ["write"],
  refusedAs: ({ slug }) => (slug === "forbidden" ? "forbidden" : "failure"),
  async run(call: CustomerCall, { operationId, dryRun = false }) {
    const change = await findDone(call, operationId.toLowerCase());
    const object = findObject(await call.integrations(), {
      integration: change.integration,
      object: change.objectName,
    });
    const isAsked = requireUndoable(call, object, change);
    const { act, kept } = await planUndo(call, object, change);
    const full = await (dryRun ? previewWrite(act) : isAsked ? askForWrite(act) : writeOnce(act));
    const result = mayRead(call, object) ? full : withoutValues(full);
    const withheld = [
      ...readList(result["withheld"]),
      ...kept.map(({ field, reason }) => ({ field, reason })),
    ];
    return withheld.length > 0 ? { ...result, withheld } : result;
  },
});

const readList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Throws a Problem for what is not a write of an agent for this customer, or did not happen. */
async function findDone({ deps, session }: CustomerCall, operationId: string): Promise<DoneChange> {
  const { project, groupRef } = session;
  const of = { projectId: project.id, groupRef, operationId };
  const change = await findAgentChange(deps.database.data, of);
  if (!change) {
    throw new Problem("not-found", {
      detail:
        `This customer has no operation \`${operationId}\` of an agent that can be undone. A deletion, a call of the API, what the ` +
        "application wrote itself, and a write whose values before could not be read cannot be.",
    });
  }
  if (change.status === "success") return change;
  throw new Problem("conflict", {
    detail:
      change.status === "in_progress"
        ? "The operation has not ended yet. Try again when get_operation shows its outcome."
        : "The operation did not succeed, so there is nothing that is known to be undone. Read the record to see how it is.",
  });
}

/** The values of before are what the record contained, which an agent that only writes has never seen. */
const mayRead = ({ session, policy }: CustomerCall, object: CustomerObject): boolean =>
  session.rights.has("read") && decideOn(policy, { tool: "get_record", kind: "read" }, object) === "allow";

function withoutValues({ preview, record, ...result }: JsonObject): JsonObject {
  const withoutFields = (shown: Json | undefined): JsonObject | undefined => {
    if (!isJsonObject(shown)) return undefined;
    const { fields: _fields, requests: _requests, ...rest } = shown;
    return rest;
  };
  const [previewed, written] = [withoutFields(preview), withoutFields(record)];
  return { ...result, ...(previewed && { preview: previewed }), ...(written && { record: written }) };
}

/**
 * Returns whether somebody decides. An update goes by the rules for updating, too, so that what somebody approved is not taken back
 * without asking; a created record by those for deleting, but not by the default for it.
 */
function requireUndoable({ policy }: CustomerCall, object: CustomerObject, { type }: DoneChange): boolean {
  const decisions = [decideOn(policy, { tool: "undo_operation", kind: "write" }, object)];
  const like =
    type === "create"
      ? ({ tool: "delete_record", kind: "delete" } as const)
      : ({ tool: "update_record", kind: "write" } as const);
  const ruled = decideByRuleOn(policy, like, object);
  if (ruled) decisions.push(ruled);
  if (decisions.includes("forbid")) throw refuseByPolicy("undo_operation", object.name);
  return decisions.includes("ask");
}

interface Kept {
  field: string;
  reason: string;
}

/** Compares the record as it is with what was written. Throws a Problem that says of each field why nothing is left to undo. */
async function planUndo(
  call: CustomerCall,
  object: CustomerObject,
  change: DoneChange,
): Promise<{ act: PlannedWrite; kept: Kept[] }> {
  const id = change.recordId ?? findCreatedId(change);
  const plan = await openPlanner(call, object, change);
  const written = plan({ type: "update", record: { ...change.after, id } });
  const { before: now = {} } = await readCurrentRecord(call.deps, written);
  const hidden = listHiddenNames(object, call.policy);
  const before = change.before ?? {};
  const kept: Kept[] = [];
  const restored: JsonObject = {};
  for (const [field, value] of Object.entries(change.after)) {
    const old = before[field] ?? null;
    if (isHidden(hidden, field) || containsHidden(hidden, field, value)) {
      if (change.type === "create") throw refuseByPolicy("undo_operation", object.name);
    } else if (!isSame(now[field] ?? null, value ?? null)) {
      const reason = isSame(now[field] ?? null, old) ? "It has its value of before again." : CHANGED;
      kept.push({ field, reason });
    } else if (change.type === "update" && isSame(value ?? null, old))
      kept.push({ field, reason: "The operation did not change it." });
    else restored[field] = old;
  }
  const isNothingLeft = Object.keys(restored).length === 0;
  if (isNothingLeft || (change.type === "create" && kept.length > 0)) throw refuseWithoutChange(change, kept);
  const act =
    change.type === "create"
      ? plan({ type: "delete", record: { id } })
      : plan({ type: "update", record: { ...restored, id } });
  return { act, kept };
}

const CHANGED = "It was changed since.";
const HIDDEN = "The project's policy hides from agents what the operation changed.";

function refuseWithoutChange({ type }: DoneChange, kept: readonly Kept[]): Problem {
  const detail = kept.map(({ field, reason }) => `${field}: ${reason}`).join(" ") || HIDDEN;
  return new Problem("conflict", {
    detail: `${type === "create" ? "The record is not as it was created, so it is not deleted." : "Nothing is left to undo."} ${detail}`,
    remedy: "Read the record. To change it further, update it.",
  });
}

/** A provider may answer a number as text. */
const isSame = (one: Json, other: Json): boolean =>
  hashCanonical(one) === hashCanonical(other) ||
  (isScalar(one) && isScalar(other) && (String(one) === String(other) || isSameNumber(one, other)));

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const isSameNumber = (one: string | number | boolean, other: string | number | boolean): boolean =>
  (typeof one === "number" || typeof other === "number") && Number(one) === Number(other);

/** Throws a 409 Problem if the operation does not name the record. */
function findCreatedId({ metadata }: DoneChange): string {
  const ids = isJsonObject(metadata) ? metadata["successfulRecordIds"] : undefined;
  const [id] = Array.isArray(ids) ? ids : [];
  if (typeof id === "string") return id;
  throw new Problem("conflict", {
    detail: "The provider did not say which record it has created, so it cannot be undone.",
  });
}

/** Returns a function that plans a write of the object, as the write API does. */
async function openPlanner(
  call: CustomerCall,
  object: CustomerObject,
  { operationId, objectName }: DoneChange,
) {
  const { groupRef, project } = call.session;
  const integration = object.installed.integration.name;
  const target = await findTarget(call.deps, { projectId: project.id, integration, objectName, groupRef });
  return (write: Pick<WriteRequest, "type" | "record">): PlannedWrite => {
    const request: WriteRequest = { groupRef, ...write };
    const plan = planWrite(request, target.settings, target.connector.write.abilities);
    const tool = { name: "undo_operation", type: write.type, kind: "write" } as const;
    return { call, tool, object, target, plan, request, args: {}, undoes: operationId };
  };
}
