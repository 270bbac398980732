/** Tools that write one record each: create, update, upsert and delete, by the code of the write API. */
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { addWorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { inSpan } from "../../ground/span.ts";
import { dryRun, storedAccount } from "../write/dry-run.ts";
import { findTarget, type WriteTarget } from "../write/find-target.ts";
import { planWrite, type PlannedRecord, type WritePlan } from "../write/plan-write.ts";
import { writeNow } from "../write/write-now.ts";
import type { WriteRequest } from "../write/write-request.ts";
import { writeSpan } from "../write/write-span.ts";
import { containsHidden, hiddenNames, providerNames } from "./agent-fields.ts";
import { IntegrationArgument, ObjectArgument } from "./agent-lookups.ts";
import { defineTool, type DefinedTool } from "./agent-tool.ts";
import { requestApproval } from "./approvals.ts";
import { giveBackBudget, takeBudget } from "./budgets.ts";
import type { CustomerCall } from "./customer-call.ts";
import { findObject, type CustomerObject } from "./customer-objects.ts";
import { isHidden, type ActKind, type AgentTool } from "./policy.ts";
import { decideOn, forbiddenBy } from "./require-allowed.ts";

const Repeats = {
  dryRun: Type.Optional(
    Type.Boolean({
      description: "Shows what would be sent, and which fields would be withheld. Sends nothing.",
    }),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      pattern: "^[\\x20-\\x7e]+$",
      minLength: 1,
      maxLength: 255,
      description:
        "Your own name for this act, kept for 24 hours: a repeated call with it does nothing and gives the first result. Without one, " +
        "the same call within ten minutes is the same act.",
    }),
  ),
};

const RecordFields = Type.Object(
  {},
  { additionalProperties: true, description: "Values by the name of the field, from describe_object." },
);

const RecordId = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "The provider's id of the record.",
});

const STATUSES = ["success", "failure", "unknown", "dry_run", "approval_required", "forbidden"] as const;

export const WriteResult = Type.Object({
  status: Type.Enum([...STATUSES], {
    description:
      "`unknown`: it may have happened or not; look it up before you do anything else. `approval_required`: a person decides; nothing " +
      "has been sent.",
  }),
  operationId: Type.Optional(Type.String({ description: "For get_operation." })),
  recordId: Type.Optional(Type.String({ description: "The provider's id of the record." })),
  record: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: "`id`, and in `fields` the values that were written." },
    ),
  ),
  preview: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: "Of a dry run: what would be sent." }),
  ),
  withheld: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), reason: Type.String() }), {
      description: "Fields that were not sent, each with the reason.",
    }),
  ),
  approval: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: "What waits for a decision; see get_approval." },
    ),
  ),
  repeated: Type.Optional(
    Type.Boolean({
      description: "True: this act was done before, and this is its result. Nothing was sent again.",
    }),
  ),
  note: Type.Optional(Type.String({ description: "What to do next." })),
});

interface WriteArguments {
  integration?: string | undefined;
  object: string;
  id?: string;
  key?: string;
  record?: JsonObject;
  dryRun?: boolean;
  idempotencyKey?: string;
}

interface WriteTool {
  name: AgentTool;
  type: WriteRequest["type"];
  kind: ActKind;
  title: string;
  description: string;
  input: Parameters<typeof Type.Object>[0];
  destructive: boolean;
}

const WRITES: WriteTool[] = [
  {
    name: "create_record",
    type: "create",
    kind: "write",
    title: "Create a record",
    description: "Creates a record in the customer's account. Search first whether it exists already.",
    input: { record: RecordFields },
    destructive: false,
  },
  {
    name: "update_record",
    type: "update",
    kind: "write",
    title: "Update a record",
    description: "Changes the given fields of one record; the others stay as they are.",
    input: { id: RecordId, record: RecordFields },
    destructive: true,
  },
  {
    name: "upsert_record",
    type: "upsert",
    kind: "write",
    title: "Create or update a record",
    description:
      "Updates the record whose field `key` has the same value as in `record`, or creates it if there is none.",
    input: {
      key: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Name of the field whose value names the record; unique at the provider, such as an email address.",
      }),
      record: RecordFields,
    },
    destructive: true,
  },
  {
    name: "delete_record",
    type: "delete",
    kind: "delete",
    title: "Delete a record",
    description: "Deletes one record. Needs deletion to be enabled for the object.",
    input: { id: RecordId },
    destructive: true,
  },
];

/** In the order in which they are listed. */
export const writeTools: readonly DefinedTool<CustomerCall>[] = WRITES.map((tool) =>
  defineTool({
    name: tool.name,
    title: tool.title,
    description: `${tool.description} A result with the status \`approval_required\` waits for a person; do not try another way.`,
    input: Type.Object({
      integration: IntegrationArgument,
      object: ObjectArgument,
      ...tool.input,
      ...Repeats,
    }),
    output: WriteResult,
    annotations: {
      readOnlyHint: false,
      destructiveHint: tool.destructive,
      idempotentHint: tool.type !== "create",
      openWorldHint: true,
    },
    rights: ["write"],
    refusedAs: ({ slug }) => (slug === "forbidden" ? "forbidden" : "failure"),
    // The members of each are checked by its schema.
    run: (call: CustomerCall, args) => write(call, tool, args as unknown as WriteArguments),
  }),
);

async function write(call: CustomerCall, tool: WriteTool, args: WriteArguments): Promise<JsonObject> {
  const { deps, session, policy } = call;
  const object = findObject(await call.integrations(), args);
  if (decideOn(policy, { tool: tool.name, kind: tool.kind }, object) === "forbid")
    throw forbiddenBy(tool.name, object.name);
  refuseHidden(call, object, args);
  const request = toRequest(call, tool, object, args);
  const target = await findTarget(deps, {
    projectId: session.project.id,
    integration: object.installed.integration.name,
    objectName: object.objectName,
    groupRef: session.groupRef,
  });
  const plan = planWrite(request, target.settings, target.connector.write.abilities);
  const { id: installationId, connectionId } = target.installation;
  addWorkIds({ installationId, connectionId });
  const act: PlannedWrite = { call, tool, object, target, plan, request, args };
  if (args.dryRun) return preview(act);
  if (decideOn(policy, { tool: tool.name, kind: tool.kind }, object) === "ask") return ask(act);
  return writeOnce(act);
}

interface PlannedWrite {
  call: CustomerCall;
  tool: WriteTool;
  object: CustomerObject;
  target: WriteTarget;
  plan: WritePlan;
  request: WriteRequest;
  args: WriteArguments;
}

/** The write as the API takes it, by the provider's names where the object does not inherit the builder's. */
function toRequest(
  { session }: CustomerCall,
  { type }: WriteTool,
  object: CustomerObject,
  { id, key, record = {} }: WriteArguments,
): WriteRequest {
  if (type === "update" && Object.hasOwn(record, "id")) {
    throw new Problem("invalid-request", {
      detail: "record.id: The id of the record is the argument `id`, not a field.",
    });
  }
  const names = object.settings && !object.settings.mapping ? providerNames(object) : undefined;
  const own = (name: string): string => names?.get(name) ?? name;
  const fields = Object.fromEntries(Object.entries(record).map(([name, value]) => [own(name), value]));
  return {
    groupRef: session.groupRef,
    type,
    ...(key !== undefined && { key: own(key) }),
    record: { ...fields, ...(id !== undefined && { id }) },
  };
}

/** Throws a 403 Problem that names the hidden fields of a write: an agent knows that it sent them. */
function refuseHidden(
  { policy }: CustomerCall,
  object: CustomerObject,
  { record = {}, key }: WriteArguments,
): void {
  const hidden = hiddenNames(object, policy);
  if (hidden.size === 0) return;
  const sent = Object.entries(record).flatMap(([name, value]) =>
    isHidden(hidden, name) || containsHidden(hidden, name, value) ? [name] : [],
  );
  const named = key !== undefined && isHidden(hidden, key) ? [...sent, key] : sent;
  if (named.length === 0) return;
  throw new Problem("forbidden", {
    detail: `The project's policy hides from agents: ${[...new Set(named)].join(", ")}. Nothing was written.`,
    remedy: "Leave these fields out.",
  });
}

/** Values that the builder sets by default may be hidden, so they are not shown with hidden fields about. */
async function preview({ call, object, target, plan }: PlannedWrite): Promise<JsonObject> {
  const shown = dryRun(target, plan, await storedAccount(call.deps, target.installation));
  const hidden = hiddenNames(object, call.policy);
  const [record] = plan.records;
  const fields = record ? writtenFields(object, record, hidden) : {};
  const requests: JsonObject =
    hidden.size === 0 ? { requests: JSON.parse(JSON.stringify(shown.requests)) as Json } : {};
  return {
    status: "dry_run",
    preview: { type: plan.type, ...(record?.id !== undefined && { id: record.id }), fields, ...requests },
    withheld: withheldIn(plan, hidden),
  };
}

/** Under the builder's names, without hidden fields. */
function writtenFields(
  object: CustomerObject,
  { fields, givenNames = {} }: PlannedRecord,
  hidden: ReadonlySet<string>,
): JsonObject {
  const own = new Map([...providerNames(object)].map(([name, providerName]) => [providerName, name]));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]): [string, Json][] => {
      const name = givenNames[field] ?? own.get(field) ?? field;
      return value === undefined || isHidden(hidden, name, field) ? [] : [[name, value]];
    }),
  );
}

const withheldIn = (plan: WritePlan, hidden: ReadonlySet<string>): JsonObject[] =>
  plan.records.flatMap(({ withheld }) =>
    withheld.flatMap(({ field, reason }) => (isHidden(hidden, field) ? [] : [{ field, reason }])),
  );

/** Nothing is sent until somebody has decided. */
async function ask(act: PlannedWrite): Promise<JsonObject> {
  const { call, tool, object, request, args } = act;
  const { deps, session, policy } = call;
  const row = await requestApproval(deps, {
    projectId: session.project.id,
    groupRef: session.groupRef,
    principal: session.principal,
    actor: session.actor,
    policy,
    tool: tool.name,
    arguments: JSON.parse(JSON.stringify(args)) as JsonObject,
    act: {
      kind: "write",
      integration: object.installed.integration.name,
      object: object.objectName,
      request,
    },
    requestId: session.requestId,
    requestKey: nameAct(act),
  });
  return {
    status: "approval_required",
    approval: {
      approvalId: row.id,
      status: row.status,
      approvalUrl: `${deps.publicUrl()}/projects/${session.project.name}/approvals/${row.id}`,
      expireTime: row.expireTime.toISOString(),
    },
    note: "Nothing has been sent. A person decides outside of this conversation; get_approval tells what became of it. Do not try another way.",
  };
}

const KEPT_HOURS = 24;

/** Names an act among those of the customer, by the agent's key, or else by who asks for what. */
function nameAct({ call, tool, object, request, args }: PlannedWrite): { key: string; keptMs: number } {
  const { groupRef, principal } = call.session;
  const { minuteMs } = call.deps;
  const sent = [tool.name, object.installed.installation.id, object.objectName, request];
  const named = args.idempotencyKey === undefined ? [principal.kind, principal.id, sent] : [args.idempotencyKey];
  const digest = createHash("sha256").update(JSON.stringify([groupRef, ...named])).digest("hex");
  const minutes = args.idempotencyKey === undefined ? SAME_ACT_MINUTES : KEPT_HOURS * 60;
  return { key: `agent:${digest}`, keptMs: minutes * minuteMs };
}

const SAME_ACT_MINUTES = 10;

async function writeOnce(act: PlannedWrite): Promise<JsonObject> {
  const { call, tool, object, target, plan, request, args } = act;
  const { deps, session, policy } = call;
  const { project, groupRef, requestId, actor } = session;
  let isFirst = false;
  const run = async (id: string, firstId = id) => {
    isFirst = true;
    addWorkIds({ operationId: id });
    await takeBudget(deps, policy, { id, projectId: project.id, groupRef });
    return inSpan(writeSpan(target, plan, { id, isQueued: false }), () =>
      writeNow(deps, { id, firstId, requestId, actor }, target, plan),
    ).catch(async (error: unknown) => {
      if (wasNotSent(error)) await giveBackBudget(deps, { id });
      throw error;
    });
  };
  const { key, keptMs } = nameAct(act);
  const keyed = {
    projectId: project.id,
    key,
    request: [tool.name, object.installed.installation.id, object.objectName, request],
    mode: "now" as const,
    repeatableMs: target.connector.write.repeatableMs?.(plan),
    ...(args.idempotencyKey === undefined && { keptMs, forgets: wroteNothing }),
  };
  try {
    const answer = await deps.idempotency.once(keyed, run);
    return { ...toSuccess(act, answer), ...(isFirst ? {} : REPEATED) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const operationId = error.options.extensions?.["operationId"];
    if (wroteNothing(error) || typeof operationId !== "string") throw error;
    return {
      status: "unknown",
      operationId,
      note: `${error.message} ${LOOK_UP}`,
      ...(isFirst ? {} : { repeated: true }),
    };
  }
}

/** A closed gate, or a connection that cannot be used: the provider was not called. */
const wasNotSent = (error: unknown): boolean =>
  error instanceof Problem && error.options.cause instanceof ClosedGateError;

const LOOK_UP =
  "Find out with search_records or get_record whether it happened, before you repeat it. get_operation shows what was sent.";

const REPEATED = {
  repeated: true,
  note: "The same act was done before; this is its result, and nothing was sent again. For another one like it give an `idempotencyKey`.",
};

/** Refusals after which the record may have been written. */
const UNKNOWN: ReadonlySet<string> = new Set(["unknown-outcome", "provider-unreadable", "internal"]);

const wroteNothing = ({ slug, retryable }: Problem): boolean =>
  !UNKNOWN.has(slug) && !(slug === "provider-timeout" && !retryable);

function toSuccess({ call, object, plan }: PlannedWrite, answer: JsonObject | object): JsonObject {
  const { operationId, result } = JSON.parse(JSON.stringify(answer)) as {
    operationId: string;
    result?: Json;
  };
  const outcome = isJsonObject(result) ? result : {};
  const [record] = plan.records;
  const recordId = typeof outcome["recordId"] === "string" ? outcome["recordId"] : record?.id;
  const hidden = hiddenNames(object, call.policy);
  const withheld = withheldIn(plan, hidden);
  const fields = record && plan.type !== "delete" ? writtenFields(object, record, hidden) : undefined;
  return {
    status: "success",
    operationId,
    ...(recordId !== undefined && { recordId }),
    ...(fields && { record: { ...(recordId !== undefined && { id: recordId }), fields } }),
    ...(withheld.length > 0 && { withheld }),
  };
}
