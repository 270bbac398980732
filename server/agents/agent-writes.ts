/** Tools that write one record each: create, update, upsert and delete, by the code of the write API. */
import { Type } from "typebox";
import { addWorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import { findTarget } from "../write/find-target.ts";
import { planWrite } from "../write/plan-write.ts";
import type { WriteRequest } from "../write/write-request.ts";
import { containsHidden, listHiddenNames, listProviderNames } from "./agent-fields.ts";
import { IntegrationArgument, ObjectArgument } from "./agent-lookups.ts";
import { defineTool, type DefinedTool } from "./agent-tool.ts";
import type { CustomerCall } from "./customer-call.ts";
import { findObject, type CustomerObject } from "./customer-objects.ts";
import {
  askForWrite,
  previewWrite,
  writeOnce,
  type PlannedWrite,
  type WriteArguments,
  type WriteTool,
} from "./planned-write.ts";
import { isHidden } from "./policy/policy.ts";
import { decideOn, refuseByPolicy } from "./policy/require-allowed.ts";

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
    throw refuseByPolicy(tool.name, object.name);
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
  if (args.dryRun) return previewWrite(act);
  return decideOn(policy, { tool: tool.name, kind: tool.kind }, object) === "ask"
    ? askForWrite(act)
    : writeOnce(act);
}

/** Returns the write as the API takes it, by the provider's names where the object does not inherit the builder's. */
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
  const names = object.settings && !object.settings.mapping ? listProviderNames(object) : undefined;
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
  const hidden = listHiddenNames(object, policy);
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
