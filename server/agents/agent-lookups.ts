/** Tools that say what there is: integrations, objects, fields, operations. */
import { Type } from "typebox";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { Problem } from "../../ground/errors.ts";
import { listHealthReasons } from "../store/integrations/installation-health.ts";
import { findListedOperation } from "../store/operations/operation-lists.ts";
import { describeFields, type AgentField } from "./agent-fields.ts";
import { findApproval } from "../store/agents/approvals.ts";
import { STALE, toApproval } from "./approvals/request-approval.ts";
import { defineTool, LOOKS_UP, READS } from "./agent-tool.ts";
import { callAs } from "./api-operations.ts";
import type { CustomerCall } from "./customer-call.ts";
import { findCustomerIntegration, findObject, type CustomerIntegration } from "./customer-objects.ts";
import { decide } from "./policy/policy.ts";
import { requireAllowed } from "./policy/require-allowed.ts";

export const IntegrationArgument = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "Name of the integration, from list_integrations. May be left out where only one fits.",
  }),
);

export const ObjectArgument = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Name of the object, from find_objects.",
});

const ActionNames = (what: string) => Type.Array(Type.String(), { description: what });

/** Answers are read by models: larger ones cost more than they tell. */
export const MAX_BYTES = 128 * 1024;

export const listIntegrationsTool = defineTool({
  name: "list_integrations",
  title: "List integrations",
  description:
    "Lists the accounts that this customer has connected: CRM, support desk and so on, each by the name of its integration. " +
    "Begin here. `actions` is what you may do there; `status` other than `working` or `created` means that calls will fail until the " +
    "customer connects again.",
  input: Type.Object({}),
  output: Type.Object({
    integrations: Type.Array(
      Type.Object({
        integration: Type.String({ description: "Name, for the other tools." }),
        provider: Type.String({ description: "The product." }),
        installationId: Type.String({ description: "Id of the customer's installation." }),
        status: Type.String({
          description: "State of the connection: `working`, `created` or `bad_credentials`.",
        }),
        healthStatus: Type.Enum(["healthy", "unhealthy"], {
          description:
            "`unhealthy`: something does not work there, such as its credentials, a read or writes of one kind.",
        }),
        healthReasons: Type.Array(Type.String(), { description: "What does not work, one sentence each." }),
        actions: ActionNames("What you may do with at least one object, and `call_api`."),
      }),
      { description: "In the order of their names." },
    ),
  }),
  annotations: LOOKS_UP,
  rights: ["read", "write", "proxy"],
  async run(call: CustomerCall) {
    const all = await call.integrations();
    const reasons = await listHealthReasons(
      call.deps.database.data,
      all.map(({ installed }) => installed.installation.id),
    );
    return { integrations: all.map((one) => toEntry(call, one, reasons)) };
  },
});

function toEntry(
  { session, policy }: CustomerCall,
  one: CustomerIntegration,
  reasons: Awaited<ReturnType<typeof listHealthReasons>>,
): JsonObject {
  const { integration, installation } = one.installed;
  const unhealthy = reasons.get(installation.id) ?? [];
  const actions = new Set<string>(one.objects.flatMap((object) => object.actions));
  const proxied = { tool: "call_api", integration: integration.name } as const;
  const may = (["callApiRead", "callApiWrite"] as const).some(
    (kind) => decide(policy, { ...proxied, kind }) !== "forbid",
  );
  if (one.mayProxy && may && session.rights.has("proxy")) actions.add("call_api");
  return {
    integration: integration.name,
    provider: integration.provider,
    installationId: installation.id,
    status: one.status,
    healthStatus: unhealthy.length > 0 ? "unhealthy" : "healthy",
    healthReasons: unhealthy.map(({ type, name, detail }) => `${type} \`${name}\`: ${detail}`),
    actions: [...actions],
  };
}

export const findObjectsTool = defineTool({
  name: "find_objects",
  title: "Find objects",
  description:
    "Lists the kinds of records in the customer's accounts, such as contacts or deals, with what you may do with each. `query` is a " +
    "part of the name. Use describe_object next to learn the fields.",
  input: Type.Object({
    integration: IntegrationArgument,
    query: Type.Optional(Type.String({ maxLength: 200, description: "A part of the object's name." })),
  }),
  output: Type.Object({
    objects: Type.Array(
      Type.Object({
        integration: Type.String({ description: "Name of the integration." }),
        object: Type.String({ description: "Name of the object, for the other tools." }),
        displayName: Type.Optional(Type.String({ description: "Label of the object." })),
        actions: ActionNames("Of search, get, create, update, upsert and delete, what you may do."),
      }),
      { description: "By integration and name." },
    ),
    truncated: Type.Boolean({ description: "Whether there are more: narrow them by `query`." }),
  }),
  annotations: LOOKS_UP,
  rights: ["read", "write"],
  async run(call: CustomerCall, { integration, query = "" }) {
    const all = await call.integrations();
    const within = integration === undefined ? all : [findCustomerIntegration(all, integration)];
    const part = query.trim().toLowerCase();
    const found = within.flatMap((one) =>
      one.objects.flatMap(({ name, objectName, actions }): JsonObject[] => {
        const fits = `${name} ${objectName}`.toLowerCase().includes(part);
        return fits && actions.length > 0 ? [{ integration: one.name, object: name, actions }] : [];
      }),
    );
    const { kept, truncated } = truncateToBytes(found);
    return { objects: kept, truncated };
  },
});

export const describeObjectTool = defineTool({
  name: "describe_object",
  title: "Describe an object",
  description:
    "Lists the fields of an object in the customer's account: names, types, which ones a new record needs, which can be written, and " +
    "the values of choices. Use it before you filter or write. Large objects are cut off: then narrow them by `query`.",
  input: Type.Object({
    integration: IntegrationArgument,
    object: ObjectArgument,
    query: Type.Optional(
      Type.String({ maxLength: 200, description: "A part of the field's name or label." }),
    ),
  }),
  output: Type.Object({
    object: Type.String({ description: "Name of the object." }),
    displayName: Type.Optional(Type.String({ description: "Label of the object." })),
    fields: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name, for the other tools." }),
        displayName: Type.Optional(Type.String({ description: "Label in the account." })),
        type: Type.String({ description: "Type of the value; `other`: not known." }),
        required: Type.Boolean({ description: "Whether a new record needs a value." }),
        readable: Type.Boolean({ description: "Whether records are returned with it." }),
        writable: Type.Boolean({ description: "Whether a record can be written with it." }),
        values: Type.Optional(
          Type.Array(
            Type.Object({
              value: Type.String({ description: "The value." }),
              displayValue: Type.String({ description: "Its label." }),
            }),
            { description: "Values to choose from, the first 100." },
          ),
        ),
      }),
      { description: "Fields, those that are read first." },
    ),
    truncated: Type.Boolean({ description: "Whether there are more fields: narrow them by `query`." }),
  }),
  annotations: READS,
  rights: ["read", "write"],
  async run(call: CustomerCall, { integration, object: named, query = "" }) {
    const object = findObject(await call.integrations(), { integration, object: named });
    requireAllowed(call.policy, { tool: "describe_object", kind: "read" }, object);
    const { fields, displayName } = await describeFields(call.deps, object, call.policy);
    const part = query.trim().toLowerCase();
    const found = fields.filter(({ name, displayName: label = "" }) =>
      `${name} ${label}`.toLowerCase().includes(part),
    );
    const { kept, truncated } = truncateToBytes(found.map(toFieldEntry));
    return {
      object: object.name,
      ...(displayName !== undefined && { displayName }),
      fields: kept,
      truncated,
    };
  },
});

const MAX_VALUES = 100;

const toFieldEntry = ({
  name,
  displayName,
  type,
  required,
  readable,
  writable,
  values,
}: AgentField): JsonObject => ({
  name,
  ...(displayName !== undefined && { displayName }),
  type,
  required,
  readable,
  writable,
  ...(values && { values: values.slice(0, MAX_VALUES) }),
});

/** Truncates a list to the entries that fit into a result; at least one. */
export function truncateToBytes<Entry extends Json>(
  entries: readonly Entry[],
): { kept: Entry[]; truncated: boolean } {
  let size = 0;
  const end = entries.findIndex((entry, index) => {
    size += Buffer.byteLength(JSON.stringify(entry));
    return index > 0 && size > MAX_BYTES;
  });
  return { kept: entries.slice(0, end < 0 ? entries.length : end), truncated: end >= 0 };
}

export const getOperationTool = defineTool({
  name: "get_operation",
  title: "Get an operation",
  description:
    "Returns what became of a write of this customer, with its steps: the plan, withheld fields, each request to the provider, the " +
    "outcome. Use it with the `operationId` of a write, above all after an unknown outcome.",
  input: Type.Object({
    operationId: Type.String({ minLength: 1, maxLength: 100, description: "Id of the operation." }),
  }),
  output: Type.Object({
    operation: Type.Object({}, { additionalProperties: true, description: "The operation, as in the API." }),
    log: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: "The steps, oldest first.",
    }),
    truncated: Type.Boolean({ description: "Whether later steps are left out." }),
  }),
  annotations: LOOKS_UP,
  rights: ["read", "write", "proxy"],
  async run({ deps, session }: CustomerCall, { operationId }) {
    const { project, groupRef } = session;
    const found = await findListedOperation(deps.database.data, project.id, operationId.toLowerCase());
    // The same text for an operation of another customer.
    if (found?.groupRef !== groupRef) {
      throw new Problem("not-found", { detail: `This customer has no operation \`${operationId}\`.` });
    }
    return readOperation({ deps, session }, found.id);
  },
});

/** Returns an operation of the project with its steps. Throws a 404 Problem. */
export async function readOperation(
  call: Parameters<typeof callAs>[0],
  operationId: string,
): Promise<{ operation: JsonObject; log: JsonObject[]; truncated: boolean }> {
  const params = { operationId: operationId.toLowerCase() };
  const operation = await callAs(call, "getOperation", { params });
  const log = await callAs(call, "listOperationLogs", { params });
  const { kept, truncated } = truncateToBytes(Array.isArray(log) ? log.filter(isJsonObject) : []);
  return { operation: isJsonObject(operation) ? operation : {}, log: kept, truncated };
}

export const getApprovalTool = defineTool({
  name: "get_approval",
  title: "Get an approval",
  description:
    "Returns what became of an act that needed a decision. `pending`: nobody has decided yet. `executed`: it was carried out, and " +
    "get_operation says with what outcome. `rejected`, `expired`, `stale`, `failed`: `reason` says why nothing was done.",
  input: Type.Object({
    approvalId: Type.String({ minLength: 1, maxLength: 100, description: "From the result that named it." }),
  }),
  output: Type.Object({
    approvalId: Type.String({ description: "Id of the approval." }),
    status: Type.String({ description: "State of the approval." }),
    operationId: Type.Optional(Type.String({ description: "Once it was carried out: for get_operation." })),
    reason: Type.Optional(Type.String({ description: "Why it ended as it did." })),
    expireTime: Type.String({ description: "Until when somebody can decide." }),
  }),
  annotations: LOOKS_UP,
  rights: ["read", "write", "proxy"],
  async run({ deps, session }: CustomerCall, { approvalId }) {
    const { project, groupRef } = session;
    const row = await findApproval(deps.database.control, project.id, approvalId.toLowerCase());
    // The same text for an approval of another customer.
    if (row?.groupRef !== groupRef) {
      throw new Problem("not-found", { detail: `This customer has no approval \`${approvalId}\`.` });
    }
    const { id, status, operationId, expireTime } = toApproval(row);
    // The stored reason names the fields that have changed, also hidden ones.
    const reason = row.status === "stale" ? STALE : (row.reason ?? undefined);
    return {
      approvalId: id,
      status,
      ...(operationId !== undefined && { operationId }),
      ...(reason !== undefined && { reason }),
      expireTime,
    };
  },
});
