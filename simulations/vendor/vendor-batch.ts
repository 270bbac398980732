/** Answers requests with several records, and requests for the links of several records. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { BatchFact, Facts, LinkFact } from "../../connector-kit/facts/facts.ts";
import { showRecord, setAtPath, type VendorRecord, type VendorRecords } from "./vendor-records.ts";
import { readValue, type VendorRequest } from "./vendor-request.ts";
import { readPlaceholders } from "./vendor-routes.ts";
import type { VendorAnswer } from "./vendor-answer.ts";

type BatchAction = "create" | "update" | "upsert" | "read";
const ACTIONS: BatchAction[] = ["create", "update", "upsert", "read"];
type ObjectFacts = Facts["objects"][string];

interface BatchRoute {
  objectName: string;
  object: ObjectFacts;
  action: BatchAction | "links";
  fact: BatchFact | LinkFact;
  values: Record<string, string>;
}

/** Finds the facts that a request with several records may match, by address and method. */
export function findBatches(
  facts: Facts,
  request: VendorRequest,
  connection: Record<string, string>,
): BatchRoute[] {
  return Object.entries(facts.objects).flatMap(([objectName, object]) => {
    const all = [
      ...ACTIONS.map((action) => [action, object.batch?.[action]] as const),
      ["links", object.links] as const,
    ];
    return all.flatMap(([action, fact]) => {
      if (!fact || fact.method !== request.method) return [];
      const values = readPlaceholders(fact.path, request, connection);
      return values && isFor(fact, objectName, request)
        ? [{ objectName, object, action, fact, values } as BatchRoute]
        : [];
    });
  });
}

/** Returns whether the request is for this object. If several objects share an address, the inputs name theirs. */
function isFor(fact: BatchFact | LinkFact, objectName: string, request: VendorRequest): boolean {
  if (!("typeAt" in fact) || fact.typeAt === undefined) return true;
  const inputs = readValue(request, `body.${fact.inputs}`);
  const [first] = Array.isArray(inputs) ? inputs : [];
  return first !== undefined && getValueAt(first, fact.typeAt) === objectName;
}

/** Environment of a batch. */
interface BatchWorld {
  records: VendorRecords;
  fieldsAt: string;
  /** Returns why the vendor refuses a record with these fields; undefined if it does not. */
  refusalFor(fields: JsonObject): string | undefined;
}

/** Executes a batch. A sentence tells why it is refused as a whole. */
export function answerBatch(
  route: BatchRoute,
  request: VendorRequest,
  world: BatchWorld,
): VendorAnswer | string {
  const { fact } = route;
  const inputs = readValue(request, `body.${fact.inputs}`);
  if (!Array.isArray(inputs) || inputs.length === 0) return `body.${fact.inputs}: a list is missing`;
  const most = readMaxInputs(fact, request);
  if (inputs.length > most) return `body.${fact.inputs}: more than ${most} inputs`;
  if (route.action === "links") return answerLinks(route, fact as LinkFact, inputs, world);
  return answerWrites(route, fact as BatchFact, inputs, request, world);
}

function readMaxInputs(fact: BatchFact | LinkFact, request: VendorRequest): number {
  const histories = "histories" in fact ? fact.histories : undefined;
  const asked = histories && readValue(request, `body.${histories.to}`);
  return histories && Array.isArray(asked) && asked.length > 0 ? histories.most : fact.most;
}

/** Result of one input. */
interface Settled {
  record?: VendorRecord;
  isNew?: boolean;
  trace?: Json;
  /** Reason of the failure; `missing`: there is no such record. */
  fault?: string;
  isMissing?: boolean;
  id?: string;
}

function answerWrites(
  route: BatchRoute,
  fact: BatchFact,
  inputs: Json[],
  request: VendorRequest,
  world: BatchWorld,
): VendorAnswer | string {
  const { objectName, action } = route;
  const strange = inputs
    .map((input) => findInputFault(route, fact, input))
    .find((fault) => fault !== undefined);
  if (strange !== undefined) return strange;
  const named = inputs.map((input) => readName(route, fact, input)).filter((name) => name !== undefined);
  if (fact.onceOnly && new Set(named).size < named.length) return "an id or key is there twice";
  const known = world.records.of(objectName);
  const before = structuredClone(known.map(({ fields }) => fields));
  const settled = inputs.map((input) => settle(route, fact, input, world));
  const failed = settled.filter(({ fault }) => fault !== undefined);
  const areMarked = fact.traceAt !== undefined && settled.every(({ trace }) => trace !== undefined);
  const isWhole = action !== "read" && (!fact.failure || (fact.failure.onlyMarked === true && !areMarked));
  const undoesAll = fact.allOrNone !== undefined && readValue(request, `body.${fact.allOrNone}`) === true;
  if (failed.length > 0 && (isWhole || undoesAll)) {
    for (const one of settled) if (one.isNew && one.record) known.splice(known.indexOf(one.record), 1);
    for (const [index, fields] of before.entries()) {
      const record = known[index];
      if (record) record.fields = fields;
    }
    if (!undoesAll || !fact.failure) return failed[0]?.fault ?? "refused";
  }
  const isUndone = undoesAll && failed.length > 0;
  return buildResults(route, fact, settled, { world, request, isUndone });
}

function findInputFault(
  { objectName, action }: BatchRoute,
  fact: BatchFact,
  input: Json,
): string | undefined {
  if (fact.idAt === "") return typeof input === "string" ? undefined : "an input is no id";
  if (!isJsonObject(input)) return "an input is no object";
  if (fact.typeAt !== undefined && getValueAt(input, fact.typeAt) !== objectName)
    return `an input has no ${objectName} at ${fact.typeAt}`;
  if (action === "read" || fact.fieldsAt === undefined || fact.fieldsAt === "") return undefined;
  const allowed = [fact.fieldsAt, fact.idAt, fact.keyNameAt, fact.keyAt, fact.traceAt, ...(fact.apart ?? [])];
  const stray = Object.keys(input).find((name) => !allowed.includes(name));
  if (stray !== undefined) return `an input has no member ${stray}`;
  return isJsonObject(getValueAt(input, fact.fieldsAt))
    ? undefined
    : `an input has nothing at ${fact.fieldsAt}`;
}

/** Returns the id or the key in an input, as text. */
function readName({ action, values }: BatchRoute, fact: BatchFact, input: Json): string | undefined {
  const place = action === "upsert" ? (fact.keyAt ?? join(fact.fieldsAt, values["key"])) : fact.idAt;
  if (place === undefined) return undefined;
  const value = place === "" ? input : getValueAt(input, place);
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

const join = (path = "", name = ""): string => (path === "" ? name : `${path}.${name}`);

function readFields({ object }: BatchRoute, fact: BatchFact, input: Json): JsonObject {
  const found =
    fact.fieldsAt === undefined || fact.fieldsAt === "" ? input : getValueAt(input, fact.fieldsAt);
  const outer = fact.fieldsAt === "" ? [fact.idAt, ...(fact.apart ?? [])] : [];
  return Object.fromEntries(
    Object.entries(isJsonObject(found) ? found : {}).filter(
      ([name]) => !outer.includes(name) && name !== object.id.path,
    ),
  );
}

const isSameId = ({ caseSuffix }: ObjectFacts["id"], one: string, other: string): boolean =>
  caseSuffix ? one.slice(0, 15) === other.slice(0, 15) : one === other;

function settle(route: BatchRoute, fact: BatchFact, input: Json, world: BatchWorld): Settled {
  const { objectName, object, action, values } = route;
  const known = world.records.of(objectName);
  const name = readName(route, fact, input);
  const trace = fact.traceAt === undefined ? undefined : getValueAt(input, fact.traceAt);
  const mark = { ...(trace !== undefined && { trace }), ...(name !== undefined && { id: name }) };
  if (action === "read") {
    const record = known.find(({ id }) => name !== undefined && isSameId(object.id, id, name));
    return record ? { ...mark, record } : { ...mark, fault: `there is no ${name}`, isMissing: true };
  }
  const fields = readFields(route, fact, input);
  const fault = world.refusalFor(fields);
  if (fault !== undefined) return { ...mark, fault };
  if (action === "create") return { ...mark, isNew: true, record: world.records.put(objectName, { fields }) };
  if (action === "update") {
    const record = known.find(({ id }) => name !== undefined && isSameId(object.id, id, name));
    if (!record) return { ...mark, fault: `there is no ${name}`, isMissing: true };
    Object.assign(record.fields, fields);
    world.records.touch(record);
    return { ...mark, record };
  }
  const key =
    values["key"] ?? (fact.keyNameAt === undefined ? undefined : String(getValueAt(input, fact.keyNameAt)));
  if (key === undefined || name === undefined)
    return { ...mark, fault: "nothing says which record is meant" };
  if (object.upsert?.keys && !object.upsert.keys.includes(key)) return { ...mark, fault: `${key} is no key` };
  const found = known.find((record) => String(record.fields[key]) === name);
  const record = found ?? world.records.put(objectName, { fields: {} });
  Object.assign(record.fields, fields, { [key]: name });
  if (found) world.records.touch(record);
  return { ...mark, record, isNew: !found };
}

interface Reported {
  world: BatchWorld;
  request: VendorRequest;
  isUndone: boolean;
}

function buildResults(
  route: BatchRoute,
  fact: BatchFact,
  settled: Settled[],
  reported: Reported,
): VendorAnswer {
  const { failure, results, success } = fact;
  const areApart = failure !== undefined && failure.list !== results;
  const failed = settled.filter(({ fault }) => fault !== undefined);
  const entries = settled.flatMap((one): Json[] => {
    if (one.fault === undefined && !reported.isUndone) return [buildResult(route, fact, one, reported)];
    return areApart ? [] : [one.fault === undefined ? (fact.undone as Json) : buildFailureEntry(fact, one)];
  });
  const body: JsonObject = {};
  for (const [path, value] of Object.entries(fact.envelope ?? {})) setAtPath(body, path, value as Json);
  // In reverse order, if results name their records.
  const listed = fact.traceAt !== undefined || route.action === "read" ? entries.toReversed() : entries;
  if (areApart && failed.length > 0)
    setAtPath(
      body,
      failure.list,
      failed.map((one) => buildFailureEntry(fact, one)),
    );
  const isPartial = failed.length > 0 && failure?.status !== undefined;
  const status = (isPartial ? failure.status : undefined) ?? success[0] ?? 200;
  if (results === "") return { status, headers: {}, body: listed };
  setAtPath(body, results, listed);
  return { status, headers: {}, body };
}

function buildFailureEntry(
  { failure }: Pick<BatchFact, "failure">,
  { fault, isMissing, trace, id }: Settled,
): Json {
  if (isMissing && failure?.missing === null) return null;
  const entry = isMissing && failure?.missing !== undefined ? failure.missing : failure?.entry;
  const quoted = (value: unknown) => JSON.stringify(String(value ?? "")).slice(1, -1);
  const text = JSON.stringify(entry ?? {})
    .replaceAll("REASON", quoted(fault))
    .replaceAll("TRACE", quoted(trace))
    .replaceAll('"ID"', `"${quoted(id)}"`);
  return JSON.parse(text) as Json;
}

function buildResult(
  route: BatchRoute,
  fact: BatchFact,
  { record, isNew, trace }: Settled,
  { world, request }: Reported,
): Json {
  if (!record) return null;
  const { object } = route;
  if (fact.result !== undefined)
    return JSON.parse(
      JSON.stringify(fact.result)
        .replaceAll('"ID"', `"${record.id}"`)
        .replaceAll('"CREATED"', String(isNew === true)),
    ) as Json;
  const shown = pickFields(
    route,
    fact,
    showRecord(object, record, { fieldsAt: world.fieldsAt }),
    request,
    world.fieldsAt,
  );
  if (fact.traceAt !== undefined && trace !== undefined) setAtPath(shown, fact.traceAt, trace);
  if (fact.createdAt !== undefined) setAtPath(shown, fact.createdAt, isNew === true);
  const histories = fact.histories && readValue(request, `body.${fact.histories.to}`);
  for (const name of Array.isArray(histories) ? histories.map(String) : [])
    setAtPath(shown, `${fact.histories?.at}.${name}`, structuredClone(record.histories?.[name] ?? []));
  return shown;
}

/** Keeps the wanted fields, which are all that a read shows. */
function pickFields(
  { object }: BatchRoute,
  { fieldsTo }: BatchFact,
  shown: JsonObject,
  request: VendorRequest,
  fieldsAt: string,
): JsonObject {
  const wanted = fieldsTo === undefined ? undefined : readValue(request, `body.${fieldsTo}`);
  if (!Array.isArray(wanted) || wanted.length === 0) return shown;
  const whole = fieldsAt === "" ? shown : shown[fieldsAt];
  const kept = Object.fromEntries(
    Object.entries(isJsonObject(whole) ? whole : {}).filter(
      ([name]) =>
        wanted.includes(name) || (fieldsAt === "" && (name === object.id.path || name === "attributes")),
    ),
  );
  return fieldsAt === "" ? kept : { ...shown, [fieldsAt]: kept };
}

/** Answers with one link at a time, each followed by a cursor, so that a reader has to continue. */
function answerLinks(
  { objectName, values }: BatchRoute,
  fact: LinkFact,
  inputs: Json[],
  { records }: BatchWorld,
): VendorAnswer | string {
  const { to = "" } = values;
  if (!fact.objects.includes(to)) return `nothing is linked with ${to}`;
  const [results, errors]: [Json[], Json[]] = [[], []];
  for (const input of inputs) {
    const id = getValueAt(input, fact.idAt);
    const stray = isJsonObject(input)
      ? Object.keys(input).find((name) => name !== fact.idAt && name !== fact.placeAt)
      : "";
    if (typeof id !== "string" || stray !== undefined) return `an input has ${stray ?? "no id"}`;
    const place = getValueAt(input, fact.placeAt);
    const linked = records.of(objectName).find((record) => record.id === id)?.links?.[to] ?? [];
    const start = place === undefined ? 0 : linked.findIndex((one) => `after ${String(one)}` === place) + 1;
    if (place !== undefined && start === 0) return `${String(place)} is no cursor of this vendor`;
    const [one] = linked.slice(start);
    if (one === undefined) {
      if (fact.failure) errors.push(buildFailureEntry(fact, { fault: "nothing is linked", id }));
      continue;
    }
    const link = structuredClone(fact.link) as JsonObject;
    setAtPath(link, fact.to, one);
    const result: JsonObject = {};
    setAtPath(result, fact.from, id);
    setAtPath(result, fact.list, [link]);
    if (linked.length > start + 1) setAtPath(result, fact.place, `after ${String(one)}`);
    results.push(result);
  }
  const body: JsonObject = {};
  for (const [path, value] of Object.entries(fact.envelope ?? {})) setAtPath(body, path, value as Json);
  setAtPath(body, fact.results, results);
  if (errors.length > 0 && fact.failure) setAtPath(body, fact.failure.list, errors);
  return {
    status: (errors.length > 0 ? fact.failure?.status : undefined) ?? fact.success[0] ?? 200,
    headers: {},
    body,
  };
}
