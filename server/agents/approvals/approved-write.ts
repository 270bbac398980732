/** A write of a record as an agent asks for it: what would change, as whoever decides sees it, and whether that is still so. */
import { createHash } from "node:crypto";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { findFieldsConnector } from "../../../connector-kit/fields.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Json, JsonObject } from "../../../ground/json.ts";
import { callProvider, type CallServices, type ProviderCall } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { toProviderProblem } from "../../operations/provider-problem.ts";
import { locateFields } from "../../read/definition/read-set.ts";
import { findTarget, type WriteTarget, type WriteTargetServices } from "../../write/find-target.ts";
import { getField } from "../../write/list-entries.ts";
import { planWrite, type PlannedRecord, type WritePlan } from "../../write/plan-write.ts";
import type { WriteRequest } from "../../write/write-request.ts";

export type ApprovedWriteServices = WriteTargetServices & CallServices & { metadata: MetadataMemory };

/** A write of one record, as the write API takes it. */
export interface AskedWrite {
  kind: "write";
  /** Name of the integration. */
  integration: string;
  /** The builder's name for the object, or the provider's. */
  object: string;
  request: WriteRequest;
}

/** A write that waits for approval, as stored, with what must not have changed when it is carried out. */
export interface ApprovedWrite extends AskedWrite {
  /** The provider's name. */
  objectName: string;
  connectionId: string;
  /** Hash of the request to the provider: mappings and defaults may change before the decision. */
  planHash: string;
}

/** The target of a write and its plan, which has one record. */
interface PlannedTarget {
  target: WriteTarget;
  plan: WritePlan;
}

export interface PlannedAct extends PlannedTarget {
  record: PlannedRecord;
  planHash: string;
}

/** Throws a Problem, as the write API does for the same request. */
export async function planAct(
  deps: WriteTargetServices,
  projectId: string,
  { integration, object, request }: AskedWrite,
): Promise<PlannedAct> {
  const { groupRef } = request;
  const target = await findTarget(deps, { projectId, integration, objectName: object, groupRef });
  const plan = planWrite(request, target.settings, target.connector.write.abilities);
  const record = getRecord(plan);
  return {
    target,
    plan,
    record,
    planHash: hashCanonical({ type: plan.type, key: plan.key ?? null, record }),
  };
}

/** Throws a 400 Problem for a batch. */
function getRecord({ records }: WritePlan): PlannedRecord {
  const [record, ...others] = records;
  if (record && others.length === 0) return record;
  throw new Problem("invalid-request", {
    detail: "An act of an agent is about one record, not about a batch.",
  });
}

/** The record as it is: absent members are not known. */
export interface Current {
  recordId?: string;
  /** Values before the write: of the written fields, or for a deletion of the whole record. */
  before?: JsonObject;
}

/** Returns the record that a write is about. Throws a Problem if it cannot be read, or an update or deletion has none. */
export async function readCurrentRecord(
  deps: ApprovedWriteServices,
  planned: PlannedTarget,
): Promise<Current> {
  const { target, plan } = planned;
  const record = getRecord(plan);
  const act = { target, plan, record };
  if (plan.type === "create") return {};
  const { projectId, connectionId } = target.installation;
  const found = await callProvider(deps, { projectId, connectionId }, (call) =>
    readValues(deps, act, call),
  ).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind === "not_found") return { values: undefined };
    throw toProviderProblem(error, connectionId);
  });
  if (!found) return record.id === undefined ? {} : { recordId: record.id };
  if (found.values) return { recordId: found.id, before: found.values };
  if (plan.type === "upsert") return {};
  throw new Problem("record-not-found", {
    detail: `The account has no ${plan.messageName} with the id \`${record.id}\`, or does not show it. Search for it first.`,
  });
}

type Found = { id: string; values: JsonObject } | { values: undefined };

/** Returns undefined where the provider cannot be asked for single records. */
async function readValues(
  { metadata: memory }: ApprovedWriteServices,
  act: PlannedTarget & Pick<PlannedAct, "record">,
  { connection, connector, fetch }: ProviderCall,
): Promise<Found | undefined> {
  const { plan, record, target } = act;
  const { objectName } = plan;
  const { account } = connection;
  const read = connector?.read;
  if (!connector || !read || read.isReadable?.(objectName) === false) {
    if (plan.type !== "update" || record.id === undefined || !target.connector.write.abilities.ifEmpty)
      return undefined;
    const fields = listChangedFields(record);
    const all = await target.connector.write.readFields(
      { objectName, ids: [record.id], fields, account },
      fetch,
    );
    const values = all.get(record.id);
    return values
      ? { id: record.id, values: nameValues(act, fields, (field) => values[field]) }
      : { values: undefined };
  }
  const described = findFieldsConnector(connector, objectName);
  const metadata =
    described &&
    (await memory.get(connection, objectName, () => described.describe(objectName, fetch, account)));
  const locate = locateFields(metadata, read);
  const all = Object.values(metadata?.fields ?? {}).filter((field) => read.isReadWithAll?.(field) !== false);
  const wanted = plan.type === "delete" ? all.map(({ fieldName }) => fieldName) : listChangedFields(record);
  const reading = {
    objectName,
    fields: [...new Set(wanted.map((field) => locate(field).request))],
    associations: [],
    ...(metadata && { metadata }),
    account,
  };
  const values = (given: JsonObject): JsonObject => {
    if (plan.type === "delete")
      return nameValues(act, Object.keys(given), (field) => given[field] ?? undefined);
    // Salesforce answers in its own spelling of a name, whatever that of the request was.
    const byKey = new Map(Object.entries(given).map(([name, value]) => [read.fieldKey(name), value]));
    return nameValues(act, wanted, (field) => byKey.get(read.fieldKey(field)));
  };
  if (record.id !== undefined) {
    const [one] = await read.readByIds(reading, [record.id], fetch);
    return one ? { id: one.id, values: values(one.values) } : { values: undefined };
  }
  const key = plan.key === undefined ? undefined : record.fields[plan.key];
  if (plan.key === undefined || typeof key === "object" || key === undefined || !read.abilities.search)
    return undefined;
  const filters = [{ fieldName: plan.key, value: key }];
  const { records } = await read.search({ ...reading, filters }, fetch);
  const [one] = records;
  return one ? { id: one.id, values: values(one.values) } : { values: undefined };
}

/** Returns the provider's names of the fields that a write sets. */
const listChangedFields = ({ fields, entries = [] }: PlannedRecord): string[] => [
  ...new Set([...Object.keys(fields), ...entries.map(getField)]),
];

/** Returns values under the names that the builder knows. What the record does not have is left out. */
function nameValues(
  { target, record }: Pick<PlannedAct, "target" | "record">,
  fields: readonly string[],
  valueOf: (field: string) => Json | undefined,
): JsonObject {
  const own = new Map(
    [...(target.settings.mapping?.mappedToProvider ?? [])].flatMap(([mapped, field]) =>
      field === undefined ? [] : [[field, mapped] as const],
    ),
  );
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field);
      return value === undefined ? [] : [[record.givenNames?.[field] ?? own.get(field) ?? field, value]];
    }),
  );
}

/** Returns what a write sets, by the builder's names; undefined for a deletion. */
export function listValuesAfter({ target, plan }: PlannedTarget): JsonObject | undefined {
  const record = getRecord(plan);
  const act = { target, record };
  if (plan.type === "delete") return undefined;
  const entries = (record.entries ?? []).map(({ name, value }) => [name, value] as const);
  return {
    ...nameValues(act, Object.keys(record.fields), (field) => record.fields[field]),
    ...Object.fromEntries(entries),
  };
}

/** Refusals after which the provider may have done it; of a timeout the Problem says so by `retryable`. */
export const MAY_HAVE_HAPPENED: ReadonlySet<string> = new Set([
  "unknown-outcome",
  "provider-timeout",
  "provider-unreadable",
  "internal",
]);

/** Returns the SHA-256 of a value in canonical form (RFC 8785), in hexadecimal digits. */
export const hashCanonical = (value: unknown): string =>
  createHash("sha256").update(toCanonicalJson(value)).digest("hex");

/** JSON without spaces, its members in the order of their UTF-16 code units; numbers and texts as `JSON.stringify` has them. */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined && typeof member !== "function")
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`).join(",")}}`;
}
