/** Refuses write requests that cannot be carried out, before anything is sent; names each member and the remedy. */
import type { WriteAbilities } from "../../connector-kit/connector.ts";
import { Problem } from "../../ground/errors.ts";
import { isStorable } from "../../ground/storable-text.ts";
import type { EntryFault } from "./list-entries.ts";
import type { Clash } from "./map-record.ts";
import type { ObjectSettings } from "./object-settings.ts";
import { findUpsertFaults, upsertLacks, type Fault } from "./refuse-upsert.ts";
import type { WriteRequest } from "./write-request.ts";

/** Throws a Problem with one issue per fault. Things the provider cannot do have a problem type of their own. */
export function refuseImpossible(
  request: WriteRequest,
  settings: ObjectSettings,
  abilities: WriteAbilities,
): void {
  const unsupported = findLacking(request, settings, abilities);
  if (unsupported.length > 0) throw toProblem("unsupported-by-provider", unsupported);
  const faults = [
    ...findShapeFaults(request),
    ...findUpsertFaults(request),
    ...(request.type === "delete" ? findDeleteFaults(request, settings) : findIdFaults(request)),
    ...findEmptyFaults(request, settings),
    ...findHeaderFaults(request),
    ...findValueFaults(request),
  ];
  if (faults.length > 0) throw toProblem("invalid-request", faults);
}

/** Throws a Problem where two names of a record lead to one provider field: one of the values would be lost. */
export function refuseClashes(clashes: [place: string, clash: Clash][]): void {
  if (clashes.length === 0) return;
  throw toProblem(
    "invalid-request",
    clashes.slice(0, MAX_ISSUES).map(([place, { name, other, field }]) => ({
      name: `${place}.${name}`,
      detail: `\`${name}\` and \`${other}\` are the same field of the provider, \`${field}\`. Send one of them.`,
    })),
  );
}

/** Throws a Problem where a value belongs into an entry of a list that cannot be set. */
export function refuseEntries(faults: [place: string, fault: EntryFault][]): void {
  if (faults.length === 0) return;
  throw toProblem(
    "invalid-request",
    faults.slice(0, MAX_ISSUES).map(([place, { name, detail }]) => ({ name: `${place}.${name}`, detail })),
  );
}

/** The faults of 100 broken records need not all be listed. */
const MAX_ISSUES = 50;

function toProblem(slug: "invalid-request" | "unsupported-by-provider", faults: Fault[]): Problem {
  return new Problem(slug, {
    detail: faults.map(({ name, detail }) => `${name}: ${detail}`).join(" "),
    issues: faults.map((fault) => ({ in: "body", ...fault })),
  });
}

function findLacking(request: WriteRequest, settings: ObjectSettings, abilities: WriteAbilities): Fault[] {
  const provider = settings.providerName;
  const { batch, associations, headers, type } = request;
  const faults: Fault[] = [];
  const cannot = (name: string, what: string) =>
    faults.push({ name, detail: `${provider} cannot ${what} through Busbar. Leave it out.` });
  if (batch && abilities.batchLimit === undefined) cannot("batch", "write batches");
  if (request.autoBatchPolicy && abilities.batchLimit === undefined)
    cannot("autoBatchPolicy", "write batches");
  if (type === "delete" && !abilities.delete) cannot("type", "delete records");
  if (type === "upsert") faults.push(...upsertLacks(request, settings, abilities));
  if (headers?.length && !abilities.headers) cannot("headers", "take extra headers");
  if (!abilities.associations) {
    if (associations?.length) cannot("associations", "associate records");
    batch?.forEach((item, index) => {
      if (item.associations?.length) cannot(`batch[${index}].associations`, "associate records");
    });
  }
  return faults;
}

function findShapeFaults(request: WriteRequest): Fault[] {
  const { type, mode, record, batch, batchPolicy, autoBatchPolicy, associations } = request;
  const faults: Fault[] = [];
  const single = record !== undefined;
  if (single === (batch !== undefined)) {
    faults.push({ name: single ? "batch" : "record", detail: "Send exactly one of `record` and `batch`." });
  }
  if (batchPolicy && !batch)
    faults.push({ name: "batchPolicy", detail: "It applies to a `batch` only; leave it out." });
  if (associations && batch) {
    faults.push({
      name: "associations",
      detail: "In a batch, put them into the items: `batch[n].associations`.",
    });
  }
  if (type === "update" || type === "upsert") faults.push(...updateAssociations(request));
  if (autoBatchPolicy && type !== "delete" && (batch || mode !== "asynchronous")) {
    faults.push({
      name: "autoBatchPolicy",
      detail: "It applies to a single record with `mode: asynchronous` only.",
    });
  }
  if (request.retryPolicy && mode !== "asynchronous" && type !== "delete") {
    faults.push({ name: "retryPolicy", detail: "It applies to `mode: asynchronous` only; leave it out." });
  }
  return faults;
}

function updateAssociations({ associations, batch }: WriteRequest): Fault[] {
  const detail = "Associations can be set when a record is created, not on an update or upsert.";
  const faults: Fault[] = associations?.length ? [{ name: "associations", detail }] : [];
  batch?.forEach((item, index) => {
    if (item.associations?.length) faults.push({ name: `batch[${index}].associations`, detail });
  });
  return faults;
}

function findDeleteFaults({ record, batch, associations }: WriteRequest, settings: ObjectSettings): Fault[] {
  const faults: Fault[] = [];
  if (batch) faults.push({ name: "batch", detail: "A delete takes a single `record`." });
  if (associations?.length)
    faults.push({ name: "associations", detail: "A delete has no associations; leave them out." });
  if (record && !isId(record["id"])) {
    faults.push({ name: "record.id", detail: "Give the provider's id of the record to delete." });
  }
  for (const name of Object.keys(record ?? {}).filter((key) => key !== "id")) {
    faults.push({ name: `record.${name}`, detail: "A delete takes `id` and nothing else." });
  }
  if (!settings.deletionEnabled) {
    faults.push({
      name: "type",
      detail: `Deleting is not enabled for ${settings.objectName} in this installation: set \`deletionSettings.enabled\` in its write configuration.`,
    });
  }
  return faults;
}

function findIdFaults({ type, record, batch }: WriteRequest): Fault[] {
  if (type !== "update") return [];
  return listRecords({ record, batch }).flatMap(([name, fields]) =>
    isId(fields["id"])
      ? []
      : [{ name: `${name}.id`, detail: "An update needs the provider's record id, as text." }],
  );
}

/** Finds creates without a field. They often come from values that were undefined, and would be empty records at the provider. */
function findEmptyFaults(
  { type, record, batch, associations }: WriteRequest,
  settings: ObjectSettings,
): Fault[] {
  const hasDefaults = Object.values(settings.fields).some((field) => field.default !== undefined);
  if (type !== "create" || hasDefaults) return [];
  return listRecords({ record, batch }).flatMap(([name, fields], index) => {
    const associated = batch ? batch[index]?.associations : associations;
    if (Object.keys(fields).length > 0 || associated?.length) return [];
    return [{ name, detail: "A create needs at least one field." }];
  });
}

/** Returns each record with its place in the request. */
function listRecords({
  record,
  batch,
}: Pick<WriteRequest, "record" | "batch">): [string, Record<string, unknown>][] {
  const items = (batch ?? []).map((item, index): [string, Record<string, unknown>] => [
    `batch[${index}].record`,
    item.record,
  ]);
  return record ? [["record", record], ...items] : items;
}

/** Maximum depth of values: no provider accepts deeper ones, and scanning them could overflow the stack. */
const DEEPEST = 100;

/** Finds values that JSON can represent and a database cannot store unchanged. */
const findValueFaults = (request: WriteRequest): Fault[] =>
  listRecords(request).flatMap(([place, fields]) =>
    Object.entries(fields).flatMap(([field, value]) => {
      const detail = findNameFault(field) ?? findValueFault(value, 1);
      return detail ? [{ name: `${place}.${field.replaceAll("\0", "").toWellFormed()}`, detail }] : [];
    }),
  );

const findNameFault = (name: string): string | undefined =>
  isStorable(name)
    ? undefined
    : "Its name contains a NUL or half a surrogate pair, which no provider stores.";

function findValueFault(value: unknown, depth: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return "The number is too large for a double. Send it as a string.";
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === DEEPEST) return `It is nested deeper than ${DEEPEST} levels.`;
  for (const [name, inner] of Object.entries(value)) {
    const fault = findNameFault(name) ?? findValueFault(inner, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Ids are strings. Exact numbers are accepted too, because HubSpot's ids look like numbers. */
const isId = (value: unknown): boolean =>
  (typeof value === "string" && value.trim() !== "") ||
  (typeof value === "number" && Number.isSafeInteger(value));

/** Headers with credentials, and hop-by-hop headers. */
const REFUSED_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "content-type",
  "content-encoding",
  "expect",
  "x-http-method-override",
]);

function findHeaderFaults({ headers = [] }: WriteRequest): Fault[] {
  return headers.flatMap(({ key, value }, index) => {
    const name = `headers[${index}]`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key))
      return [{ name: `${name}.key`, detail: `"${key}" is not a header name.` }];
    if (REFUSED_HEADERS.has(key.toLowerCase())) {
      return [{ name: `${name}.key`, detail: `${key} is set by Busbar and cannot be overridden.` }];
    }
    if (!/^[\x20-\x7e\t]*$/.test(value)) {
      return [{ name: `${name}.value`, detail: "A header value may contain printable ASCII only." }];
    }
    return [];
  });
}
