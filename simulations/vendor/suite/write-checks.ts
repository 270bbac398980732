/** Checks of writes: what is sent, what is stored, what is read back. */
import type { RecordOutcome, RecordToWrite, RecordWrite } from "../../../connector-kit/connector.ts";
import type { Parameter, RecordFact } from "../../../connector-kit/facts/facts.ts";
import { orderWrite } from "../../../connector-kit/testing/order-fixture.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { setAtPath, showRecord } from "../vendor-records.ts";
import { expect, putRecords, type Check, type Bench } from "./bench.ts";

type WriteAction = "create" | "update" | "upsert" | "delete";

export function listWriteChecks(bench: Bench): Check[] {
  const actions: WriteAction[] = ["create", "update", "upsert", "delete"];
  const checks: Check[] = actions
    .filter((action) => bench.modes.includes(action))
    .map((action) => ({
      name: action,
      source: bench.object[action]?.source,
      run: () => writeCheck(bench, action),
    }));
  for (const { at, by } of (bench.modes.includes("update") && bench.object.update?.replaces) || [])
    checks.push({
      name: `the rest of ${at}`,
      source: bench.object.update?.source,
      run: () => keepsRest(bench, at, by),
    });
  if (bench.modes.includes("update") && bench.object.update)
    checks.push({
      name: "an id that is none",
      source: bench.object.update.source,
      run: () => checkStrangeId(bench),
    });
  return checks;
}

/** Checks that a text which cannot be an id of the vendor is not sent. */
async function checkStrangeId(bench: Bench): Promise<undefined> {
  const id = bench.object.id.type === "integer" ? "x1" : "x 1/..?y";
  const outcome = await write(bench, "update", { id, fields: { note: "x" } });
  expect(!outcome.success, `an update of ${id} counts as success`);
  expect(bench.vendor.seen.length === 0, `${id}, which is no id of this vendor, is sent`);
}

/** Checks that an update of one member of an object, or one entry of a list, which the vendor replaces as a whole, leaves the others. */
async function keepsRest(bench: Bench, path: string, by: string | undefined): Promise<undefined> {
  const shown = (city: string | undefined, tier: string): Json => {
    if (by !== undefined)
      return [{ [by]: "2", content: tier }, ...(city === undefined ? [] : [{ [by]: "1", content: city }])];
    return { ...(city !== undefined && { city }), tier };
  };
  const fields: JsonObject = {};
  setAtPath(fields, path, shown("Ely", "gold"));
  const [record] = putRecords(bench, 1, { fields });
  expect(record, "no record");
  const part: JsonObject = {};
  setAtPath(part, path, shown(undefined, "lead"));
  expectSuccess(await write(bench, "update", { id: record.id, fields: part }));
  const stored = JSON.stringify(getValueAt(record.fields, path));
  const wanted = JSON.stringify(shown("Ely", "lead"));
  expect(stored === wanted, `an update of a part of ${path} leaves ${stored}, not ${wanted}`);
}

async function writeCheck(bench: Bench, action: WriteAction): Promise<string | undefined> {
  const fact = bench.object[action];
  if (!fact) return `no facts about ${action}`;
  expect(!fact.absent, "the vendor has no such request");
  if (fact.path.includes("{parent}")) return "records below a parent are not written in this check";
  const run = { create, update, upsert, delete: remove }[action];
  return run(bench, fact);
}

async function write(
  bench: Bench,
  type: RecordWrite["type"],
  record: RecordToWrite,
  key?: string,
): Promise<RecordOutcome> {
  expect(bench.connector.write, "the connector writes nothing");
  const order = {
    ...orderWrite(bench.objectName, type, record),
    ...(key !== undefined && { key }),
    readBack: true,
  };
  const { outcomes } = await bench.connector.write.write(order, bench.fetch);
  const [outcome] = outcomes;
  expect(outcome, "there is no outcome");
  return outcome;
}

function expectSuccess(outcome: RecordOutcome): asserts outcome is Extract<RecordOutcome, { success: true }> {
  if (!outcome.success) throw outcome.error;
}

async function create(bench: Bench, fact: RecordFact): Promise<undefined> {
  const { vendor, objectName } = bench;
  const fields = buildFields(bench, fact);
  const outcome = await write(bench, "create", { fields, idempotencyKey: () => "key-of-this-create" });
  expectSuccess(outcome);
  const [stored] = vendor.records.of(objectName);
  expect(stored, "nothing was stored");
  expect(outcome.recordId === stored.id, `the id is reported as ${outcome.recordId}, not ${stored.id}`);
  const inPath = Object.keys(buildPathFields(fact));
  expectFields(
    Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name))),
    stored.fields,
  );
  if (fact.record !== undefined || bench.object.get) expectReturned(bench, outcome, stored.id);
  const { key } = vendor.seen.find(({ action }) => action === "create") ?? {};
  if (fact.idempotencyKey !== undefined)
    expect(key !== undefined, `sends no key at ${fact.idempotencyKey}, under which the vendor creates once`);
}

async function update(bench: Bench, fact: RecordFact): Promise<string | undefined> {
  const { vendor, objectName } = bench;
  const [, record] = putRecords(bench, 3);
  expect(record, "no record");
  const name = findFreeField(bench, fact, ({ required }) => !required);
  const unseen = await buildUnseenDemands(bench, fact, record.id, name);
  const outcome = await write(bench, "update", { id: record.id, fields: { ...unseen, [name]: "after" } });
  expectSuccess(outcome);
  expectFields({ [name]: "after" }, record.fields);
  expect(outcome.recordId === record.id, `the id is reported as ${outcome.recordId}`);
  if (fact.record !== undefined || bench.object.get) expectReturned(bench, outcome, record.id);
  if (isSilentOnMissing(bench, fact))
    return "no fact says how the update of a record that is gone is refused";
  vendor.records.of(objectName).splice(1, 1);
  const gone = await write(bench, "update", {
    id: record.id,
    fields: { ...unseen, [name]: "later" },
  });
  expect(
    !gone.success && gone.error.kind === "not_found",
    "the update of a record that is gone is not told as not found",
  );
}

/**
 * Builds values for the fields that the vendor requires in each update and shows in no answer. Without them, the connector
 * refuses an update before it sends anything, with a message that names them.
 */
async function buildUnseenDemands(
  bench: Bench,
  fact: RecordFact,
  id: string,
  written: string,
): Promise<JsonObject> {
  const values: JsonObject = {};
  for (const [path, { required, ofRequest, ...rules }] of Object.entries(fact.body ?? {})) {
    const name = findNameBelow(fact, path);
    if (!required || ofRequest || name === undefined || name === written) continue;
    if (bench.object.example && getValueAt(bench.object.example as Json, name) !== undefined) continue;
    values[name] = buildValue(rules);
  }
  const names = Object.keys(values);
  if (names.length === 0) return values;
  const refused = await write(bench, "update", { id, fields: { [written]: "after" } });
  expect(
    !refused.success && names.every((name) => refused.error.message.includes(name)),
    `an update without ${names.join(", ")}, which the vendor demands, is not refused in words that name them`,
  );
  expect(bench.vendor.seen.length === 0, `an update without ${names.join(", ")} is sent`);
  return values;
}

async function remove(bench: Bench, fact: RecordFact): Promise<string | undefined> {
  const { vendor, objectName } = bench;
  const [, record] = putRecords(bench, 3);
  expect(record, "no record");
  expectSuccess(await write(bench, "delete", { id: record.id, fields: {} }));
  expect(!vendor.records.of(objectName).includes(record), "the record is still there");
  expect(vendor.records.of(objectName).length === 2, "others were deleted");
  if (isSilentOnMissing(bench, fact))
    return "no fact says how the deletion of a record that is gone is refused";
  const again = await write(bench, "delete", { id: record.id, fields: {} });
  // Connectors in code may report it as not found, too.
  const isReported =
    !again.success && again.error.kind === "not_found" && bench.object.list?.language !== undefined;
  expect(again.success || isReported, "the deletion of a record that is gone is not told as done");
  return undefined;
}

/** Returns whether only the words of a refusal tell that a record is gone, because every refusal has the same status. */
const isSilentOnMissing = ({ facts: { graphql, errors } }: Bench, { missing }: RecordFact): boolean =>
  missing === undefined && (graphql !== undefined || errors?.status !== undefined);

async function upsert(bench: Bench, fact: RecordFact): Promise<string | undefined> {
  const { connector, objectName } = bench;
  const { keys = [] } = fact;
  if (keys.length === 0) return "no fact says by which fields is upserted";
  const { upsert: offered } = connector.write?.abilities ?? {};
  const isAny = offered === true;
  const own = typeof offered === "object" && Object.hasOwn(offered, objectName) ? offered[objectName] : [];
  expect(
    isAny || (own?.every((key) => keys.includes(key)) && keys.every((key) => own?.includes(key))),
    `upserts by ${own?.join(", ")}; the vendor by ${keys.join(", ")}`,
  );
  for (const key of keys) await upsertBy(bench, fact, key);
  return undefined;
}

async function upsertBy(bench: Bench, fact: RecordFact, key: string): Promise<void> {
  const { vendor, objectName } = bench;
  vendor.clear();
  const fields = { ...buildFields(bench, fact), [key]: "ada@example.com" };
  const first = await write(bench, "upsert", { fields }, key);
  expectSuccess(first);
  const second = await write(bench, "upsert", { fields }, key);
  expectSuccess(second);
  if (fact.keyNameTo !== undefined)
    for (const { action, keyName } of vendor.seen)
      expect(
        action !== "upsert" || [keyName].flat().includes(key),
        `does not say at ${fact.keyNameTo} that ${key} is the key; the vendor then looks at other fields, too`,
      );
  expect(
    vendor.records.of(objectName).length === 1,
    `two upserts by ${key} made ${vendor.records.of(objectName).length} records`,
  );
  expect(
    first.recordId === second.recordId && first.recordId === vendor.records.of(objectName)[0]?.id,
    "the id is not that of the record",
  );
}

function expectFields(sent: JsonObject, stored: JsonObject): void {
  for (const [name, value] of Object.entries(sent))
    expect(
      JSON.stringify(stored[name]) === JSON.stringify(value) ||
        String(stored[name]) === String(value) ||
        isFormValue(stored[name], value),
      `${name} arrived as ${JSON.stringify(stored[name])}, not ${JSON.stringify(value)}`,
    );
}

/** Returns whether a form has the value, as text. */
const isFormValue = (stored: Json | undefined, value: Json): boolean =>
  isJsonObject(value) && isJsonObject(stored)
    ? Object.entries(value).every(([name, inner]) => String(stored[name]) === String(inner))
    : Array.isArray(value) && value.length === 0;

function expectReturned(bench: Bench, { data }: { data?: JsonObject }, id: string): void {
  expect(data, "the record is not returned");
  const { object, vendor, objectName } = bench;
  const found = getValueAt(data, object.id.path);
  expect(
    String(found) === id,
    `what is returned is not the record: nothing or ${String(found)} at ${object.id.path}`,
  );
  const record = vendor.records.of(objectName).find((one) => one.id === id);
  const shown =
    record && showRecord(object, record, { list: object.list, fieldsAt: vendor.fieldsAt(objectName) });
  if (bench.facts.graphql || object.get?.fieldsTo !== undefined) {
    // A document selects members: those that it returns belong to the record.
    const strange = Object.keys(data).filter(
      (name) => typeof shown?.[name] === "string" && shown[name] !== data[name],
    );
    expect(strange.length === 0, `what is returned is not the record: ${strange.join(", ")}`);
    return;
  }
  const asked = Object.values(object.get?.onRequest ?? {}).map((path) => path.split(".")[0]);
  const listNames = (one: JsonObject) => Object.keys(one).filter((name) => !asked.includes(name));
  expect(
    shown && JSON.stringify(listNames(shown).toSorted()) === JSON.stringify(listNames(data).toSorted()),
    "what is returned is not the record as the vendor shows it",
  );
}

/** Returns fields with which a record may be created: the required ones, and one more. */
function buildFields(bench: Bench, fact: RecordFact): JsonObject {
  const fields: JsonObject = {};
  for (const [path, { required, ofRequest, ...rules }] of Object.entries(fact.body ?? {})) {
    const name = findNameBelow(fact, path);
    if (!required || ofRequest || name === undefined) continue;
    const known = bench.object.example && getValueAt(bench.object.example as Json, name);
    setAtPath(fields, name, (known ?? buildValue(rules)) as Json);
  }
  Object.assign(fields, buildPathFields(fact));
  const name = findFreeField(bench, fact);
  if (fields[name] === undefined) fields[name] = "ünïcode ✓";
  return fields;
}

/** Returns a value for each field in the address of a create. */
export const buildPathFields = ({ path }: RecordFact): JsonObject =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !["id", "parent", "key", "value"].includes(name))
      .map((name) => [name, "7"]),
  );

function buildValue({ enum: allowed, type, minimum = 1 }: NonNullable<RecordFact["body"]>[string]): Json {
  const [first] = allowed ?? [];
  if (first !== undefined) return type === "integer" || type === "number" ? Number(first) : first;
  const values: Record<string, Json> = {
    integer: minimum,
    number: minimum,
    boolean: true,
    array: [],
    object: {},
  };
  return values[type ?? ""] ?? "x";
}

/** Returns the name of a field by its path in the body; undefined for what surrounds the fields. */
function findNameBelow({ wrap = "", named = {} }: RecordFact, path: string): string | undefined {
  if (named[path] !== undefined) return named[path];
  if (wrap === "") return path;
  return path.startsWith(`${wrap}.`) ? path.slice(wrap.length + 1) : undefined;
}

/** Finds a field that accepts any text, preferably a `preferred` one. */
export function findFreeField(
  { object }: Bench,
  fact: RecordFact,
  preferred?: (rules: Parameter) => boolean,
): string {
  const all = Object.entries(fact.body ?? {});
  const first = preferred ? all.filter(([, rules]) => preferred(rules)) : [];
  for (const [path, { type = "string", enum: allowed, pattern, ofRequest }] of [...first, ...all]) {
    const name = findNameBelow(fact, path);
    if (
      name === undefined ||
      ofRequest ||
      name.includes(".") ||
      allowed ||
      pattern !== undefined ||
      type !== "string"
    )
      continue;
    if (name !== object.id.path && !(fact.keys ?? []).includes(name)) return name;
  }
  return "note";
}
