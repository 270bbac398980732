/** Answers batches by their descriptions: unpacks requests, and writes lists of records. */
import { Buffer } from "node:buffer";
import type { PackedRules, RecordListRules } from "../../connector-kit/declarative/rules/batch-rules.ts";
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { at, keyPlaces, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { readCondition } from "../../connector-kit/declarative/write/record-result.ts";
import { nestValue } from "../../connector-kit/declarative/request-parts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { parseBody } from "../../connector-kit/calls/send-request.ts";
import { valueAt } from "../../connector-kit/calls/text-at.ts";
import { hasBody } from "./simulated-beside.ts";
import { buildAtPath, REFUSED, type SimulatedAnswer } from "./simulated-exchange.ts";

interface InnerRequest {
  method: string;
  path: string;
  contentType: string;
  body: string;
}

/** Answers each request with `answer`. The answers are in another order, as some providers send them. */
export function answerPacked(
  rules: PackedRules,
  text: string,
  answer: (request: InnerRequest) => SimulatedAnswer,
): SimulatedAnswer | string {
  const body = parseBody(text) ?? null;
  for (const [name, value] of Object.entries(rules.also ?? {}))
    if (valueAt(body, name) !== value) return `${name} is missing`;
  const requests = at(body, rules.to);
  if (!Array.isArray(requests)) return `there is no list at ${rules.to}`;
  if (requests.length > rules.most) return `more than ${rules.most} requests`;
  const answers = requests.filter(isJsonObject).map((request): JsonObject => {
    const { status, body: answered } = answer(readInnerRequest(rules, request));
    const shown = answered === undefined ? undefined : encoded(rules, answered);
    return { id: request.id ?? null, [rules.status]: status, ...(shown !== undefined && { body: shown }) };
  });
  return { status: 200, headers: {}, body: buildAtPath(rules.answers, answers.toReversed()) };
}

const encoded = ({ base64 }: PackedRules, body: Json): Json =>
  base64 ? Buffer.from(JSON.stringify(body)).toString("base64") : body;

function readInnerRequest({ below = "", base64 }: PackedRules, request: JsonObject): InnerRequest {
  const { method, url, headers, body } = request;
  const pairs = Array.isArray(headers)
    ? headers.filter(isJsonObject).map(({ name, value }) => [String(name), String(value)])
    : Object.entries(isJsonObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)]);
  return {
    method: String(method),
    path: below + String(url),
    contentType: pairs.find(([name]) => name?.toLowerCase() === "content-type")?.[1] ?? "",
    body: base64 ? Buffer.from(String(body), "base64").toString() : JSON.stringify(body ?? null),
  };
}

/** Operations of a simulated account on the entries of a list. */
export interface ListTarget {
  has(id: string): boolean;
  findBy(key: string, value: Json | undefined): string | undefined;
  put(fields: JsonObject, id: string | undefined): string;
  show(id: string): JsonObject;
  refusal(status: number, message: string): SimulatedAnswer;
  /** Provider's code for a record that does not exist. */
  missingCode: string | undefined;
}

type Kind = "create" | "update" | "upsert";

/**
 * Writes the valid entries, or none if one refused record refuses all. Returns undefined for another kind of request, which may
 * have the same path.
 */
export function writeList(
  { plan, kind, rules }: { plan: ObjectPlan; kind: Kind; rules: RecordListRules },
  text: string,
  target: ListTarget,
): SimulatedAnswer | undefined {
  const body = parseBody(text) ?? null;
  if (!hasBody(plan, rules, { contentType: "application/json", body: text })) return undefined;
  const entries = at(body, fillPath(rules.to, plan));
  const key = kind === "upsert" ? readKey(plan, body) : undefined;
  if (!Array.isArray(entries) || (kind === "upsert" && key === undefined)) return undefined;
  // The address may also be that of another object with another key.
  const isKeyBeside = kind === "upsert" && plan.upsert?.keyValueTo !== undefined;
  if (isKeyBeside && !entries.every((entry) => isJsonObject(entry) && Object.hasOwn(entry, key ?? "")))
    return undefined;
  if (entries.length > rules.most) return target.refusal(422, `more than ${rules.most} records`);
  const planned = entries.map((entry) => planEntry({ plan, kind, rules }, entry, key, target));
  const fault = planned.find((one) => typeof one === "string");
  if (rules.together && typeof fault === "string") return target.refusal(422, fault);
  const results: Json[] = [];
  const refused: Json[] = [];
  for (const [index, one] of planned.entries()) {
    const reference = readReference(rules, entries[index] ?? null);
    if (typeof one !== "string") {
      const result = buildWrittenResult(plan, rules, target, target.put(one.fields, one.id));
      results.push(referred(rules.ref?.from, reference, result));
    } else if (rules.refused) {
      const [{ from = rules.ref?.from } = {}] = rules.refused;
      refused.push(
        from === "" ? reference : referred(from, reference, buildRefusedResult(rules, one, target)),
      );
    } else results.push(referred(rules.ref?.from, reference, buildRefusedResult(rules, one, target)));
  }
  const [{ at: refusedAt } = {}] = rules.refused ?? [];
  const besides = refusedAt === undefined ? {} : nestValue(refusedAt, refused);
  if (rules.answers === undefined)
    return rules.refused ? { status: 200, headers: {}, body: besides } : { status: 204, headers: {} };
  const [further] = rules.furtherAnswers ?? [];
  const half = further === undefined ? results.length : Math.ceil(results.length / 2);
  // With references, the results are in another order.
  const first = rules.ref ? results.slice(0, half).toReversed() : results;
  const listed = buildAtPath(fillPath(rules.answers, plan), first);
  if (!isJsonObject(listed)) return { status: 200, headers: {}, body: listed };
  const others = further === undefined ? {} : nestValue(further, results.slice(half));
  return { status: 200, headers: {}, body: { ...listed, ...besides, ...others } };
}

/** Returns a reference as a provider reports it: mail addresses are in lower case. */
function readReference({ ref }: RecordListRules, entry: Json): Json {
  const reference = isJsonObject(entry) ? (entry[ref?.to ?? ref?.of ?? ""] ?? null) : null;
  return typeof reference === "string" ? reference.toLowerCase() : reference;
}

const referred = (from: string | undefined, reference: Json, result: Json): Json =>
  from === undefined ? result : nestValue(from, reference, isJsonObject(result) ? result : {});

function readKey({ upsert }: ObjectPlan, body: Json): string | undefined {
  return upsert?.keys.find((key) =>
    keyPlaces(upsert, { key }).every(
      ([to, value]) => JSON.stringify(valueAt(body, to.slice("body.".length))) === JSON.stringify(value),
    ),
  );
}

/** Plans the write of an entry, or returns why it is refused. */
function planEntry(
  { plan, kind, rules }: { plan: ObjectPlan; kind: Kind; rules: RecordListRules },
  entry: Json,
  key: string | undefined,
  target: ListTarget,
): { fields: JsonObject; id: string | undefined } | string {
  if (!isJsonObject(entry)) return "an entry is not an object";
  for (const [name, value] of Object.entries(rules.also ?? {}))
    if (entry[name] !== fillPath(value, plan)) return `${name} is missing`;
  const given = rules.each === undefined ? entry : entry[rules.each];
  if (!isJsonObject(given)) return "an entry has no fields";
  const beside = new Set([
    ...Object.keys(rules.also ?? {}),
    ...(rules.idTo === undefined ? [] : [fillPath(rules.idTo, plan)]),
    ...(rules.ref?.to === undefined ? [] : [rules.ref.to]),
  ]);
  const isKeyBeside = key !== undefined && plan.upsert?.keyValueTo !== undefined;
  const own = isKeyBeside ? { [key]: entry[key] ?? null } : {};
  const fields = {
    ...own,
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !beside.has(name))),
  };
  if (Object.values(fields).includes(REFUSED)) return "a value is refused";
  if (kind === "create") return { fields, id: undefined };
  if (kind === "upsert")
    return { fields, id: key === undefined ? undefined : target.findBy(key, at(fields, key)) };
  const id = String(entry[fillPath(rules.idTo ?? "", plan)]);
  return target.has(id) ? { fields, id } : MISSING;
}

function buildWrittenResult(plan: ObjectPlan, rules: RecordListRules, target: ListTarget, id: string): Json {
  if (rules.id === "") return id;
  const { path: okPath, values } = readCondition(rules.okWhen ?? "=");
  const shown = rules.record === undefined ? {} : nestValue(rules.record, target.show(id));
  const withId = nestValue(rules.id ?? plan.idPath, id, isJsonObject(shown) ? shown : {});
  return okPath === "" ? withId : nestValue(okPath, values[0] ?? "", withId);
}

/** Builds the result for a record that was not written. */
export function buildRefusedBody(okWhen: string | undefined, message: string, reason: string): JsonObject {
  const { path } = readCondition(okWhen ?? "refused=");
  const refused = buildAtPath(path, "refused");
  const steps = message.split(".").map((step) => (step === "*" ? "0" : step));
  const reported = buildAtPath(steps.join("."), reason);
  return mergeBodies(refused, reported);
}

/** Sets a value at a path of the body; numbers in the path are positions in lists. */
export const withValue = (body: Json, path: string, value: Json): JsonObject =>
  mergeBodies(body, buildAtPath(path, value));

/** Merges the members of both; lists are merged entry by entry. */
function mergeBodies(first: Json, second: Json): JsonObject {
  if (!isJsonObject(first) || !isJsonObject(second)) return isJsonObject(second) ? second : {};
  const both: JsonObject = { ...first, ...second };
  for (const [name, value] of Object.entries(first)) {
    const other = second[name];
    if (isJsonObject(value) && other !== undefined && isJsonObject(other))
      both[name] = mergeBodies(value, other);
    if (Array.isArray(value) && Array.isArray(other))
      both[name] = [mergeBodies(value[0] ?? {}, other[0] ?? {})];
  }
  return both;
}

const MISSING = "there is no such record";

function buildRefusedResult(rules: RecordListRules, reason: string, { missingCode }: ListTarget): Json {
  const [message = "message"] = rules.message ?? [];
  const body = buildRefusedBody(rules.okWhen, message, reason);
  if (rules.code === undefined || missingCode === undefined || reason !== MISSING) return body;
  return nestValue(rules.code, missingCode, isJsonObject(body) ? body : {});
}
