/** Answers described batches, backwards: unpacks requests, and writes lists of records. */
import { Buffer } from "node:buffer";
import type { PackedRules, RecordListRules } from "../connector-kit/described/batch-rules.ts";
import { fillPath } from "../connector-kit/described/fill-path.ts";
import { at, keyPlaces, type ObjectPlan } from "../connector-kit/described/object-plan.ts";
import { nested } from "../connector-kit/described/request-parts.ts";
import { isJsonObject, type Json, type JsonObject } from "../server/ground/json.ts";
import { parseBody } from "../connector-kit/send-request.ts";
import { valueAt } from "../connector-kit/text-at.ts";
import { placed, REFUSED, type SimulatedAnswer } from "./simulated-answer.ts";

interface InnerRequest {
  method: string;
  path: string;
  contentType: string;
  body: string;
}

/** Carries out each request with `answer`; the answers come in another order, as some providers send them. */
export function packedAnswer(
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
    const { status, body: answered } = answer(innerRequest(rules, request));
    const shown = answered === undefined ? undefined : encoded(rules, answered);
    return { id: request.id ?? null, [rules.status]: status, ...(shown !== undefined && { body: shown }) };
  });
  return { status: 200, headers: {}, body: placed(rules.answers, answers.toReversed()) };
}

const encoded = ({ base64 }: PackedRules, body: Json): Json =>
  base64 ? Buffer.from(JSON.stringify(body)).toString("base64") : body;

function innerRequest({ below = "", base64 }: PackedRules, request: JsonObject): InnerRequest {
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

/** What a simulated account does with the entries of a list. */
export interface ListTarget {
  has(id: string): boolean;
  findBy(key: string, value: Json | undefined): string | undefined;
  put(fields: JsonObject, id: string | undefined): string;
  show(id: string): JsonObject;
  refusal(status: number, message: string): SimulatedAnswer;
}

type Kind = "create" | "update" | "upsert";

/**
 * Writes the entries that can be written, or none of them where one refused record refuses all. Returns undefined for a request
 * of another kind, which may have the same path.
 */
export function writtenList(
  { plan, kind, rules }: { plan: ObjectPlan; kind: Kind; rules: RecordListRules },
  text: string,
  target: ListTarget,
): SimulatedAnswer | undefined {
  const body = parseBody(text) ?? null;
  const entries = at(body, rules.to);
  const key = kind === "upsert" ? keyIn(plan, body) : undefined;
  if (!Array.isArray(entries) || (kind === "upsert" && key === undefined)) return undefined;
  if (entries.length > rules.most) return target.refusal(422, `more than ${rules.most} records`);
  const planned = entries.map((entry) => plannedEntry({ plan, kind, rules }, entry, key, target));
  const fault = planned.find((one) => typeof one === "string");
  if (rules.together && typeof fault === "string") return target.refusal(422, fault);
  const results = planned.map((one, index): Json => {
    const result =
      typeof one === "string"
        ? refusedResult(rules, one)
        : writtenResult(plan, rules, target, target.put(one.fields, one.id));
    return referred(rules, entries[index] ?? null, result);
  });
  if (rules.answers === undefined) return { status: 204, headers: {} };
  // With references the results come in another order.
  const inOrder = rules.ref ? results.toReversed() : results;
  return { status: 200, headers: {}, body: placed(rules.answers, inOrder) };
}

function referred({ ref }: RecordListRules, entry: Json, result: Json): Json {
  if (!ref || !isJsonObject(entry)) return result;
  return nested(ref.from, entry[ref.to] ?? null, isJsonObject(result) ? result : {});
}

function keyIn({ upsert }: ObjectPlan, body: Json): string | undefined {
  return upsert?.keys.find((key) =>
    keyPlaces(upsert, { key }).every(
      ([to, value]) => JSON.stringify(valueAt(body, to.slice("body.".length))) === JSON.stringify(value),
    ),
  );
}

/** Returns what to write, or why it is refused. */
function plannedEntry(
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
    ...(rules.idTo === undefined ? [] : [rules.idTo]),
    ...(rules.ref ? [rules.ref.to] : []),
  ]);
  const fields = Object.fromEntries(Object.entries(given).filter(([name]) => !beside.has(name)));
  if (Object.values(fields).includes(REFUSED)) return "a value is refused";
  if (kind === "create") return { fields, id: undefined };
  if (kind === "upsert")
    return { fields, id: key === undefined ? undefined : target.findBy(key, fields[key]) };
  const id = String(entry[rules.idTo ?? ""]);
  return target.has(id) ? { fields, id } : "there is no such record";
}

function writtenResult(plan: ObjectPlan, rules: RecordListRules, target: ListTarget, id: string): Json {
  if (rules.id === "") return id;
  const [okPath, okValue = ""] = rules.okWhen?.split("=") ?? [];
  const shown = rules.record === undefined ? {} : nested(rules.record, target.show(id));
  const withId = nested(rules.id ?? plan.idPath, id, isJsonObject(shown) ? shown : {});
  return okPath === undefined ? withId : nested(okPath, okValue, withId);
}

function refusedResult(rules: RecordListRules, reason: string): Json {
  const [okPath = "refused"] = rules.okWhen?.split("=") ?? [];
  const [message = "message"] = rules.message ?? [];
  return nested(message, reason, nested(okPath, "refused"));
}
