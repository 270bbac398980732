/** Checks the parameters of a request in addition to the fields, by the description: ids, constants, versions. */
import type { DeleteRules, WriteRules } from "../../connector-kit/declarative/rules/description.ts";
import { buildBody } from "../../connector-kit/declarative/write/body-members.ts";
import { fillPath, fillText } from "../../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import type { FieldMaskRules } from "../../connector-kit/declarative/rules/write-rules.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { type SimulatedRequest, type StoredRecord, extractFromPath } from "./simulated-exchange.ts";
import { parseForm, unwrapFields } from "./simulated-write.ts";
import { readTypedFields } from "./simulated-values.ts";

type Rules = WriteRules | DeleteRules | undefined;

/** Returns the id in path, query or body; undefined for an unrelated request. */
export function readId(
  plan: ObjectPlan,
  rules: Rules,
  request: SimulatedRequest,
  url: URL,
): string | undefined {
  if (rules?.method !== request.method) return undefined;
  const inPath = extractFromPath(fillPath(rules.path.replace("{id}", "\u0000"), plan), url);
  return inPath === undefined || rules.idTo === undefined ? inPath : valueAtPlace(rules.idTo, request);
}

/** Returns whether the request has all constant parameters. */
export const hasConstants = (plan: ObjectPlan, rules: Rules, request: SimulatedRequest): boolean =>
  Object.entries(rules?.also ?? {}).every(
    ([name, value]) => valueAtPlace(`body.${name}`, request) === filled(plan, value),
  );

/** Returns whether the body has all members that the description adds. */
export const hasBody = (
  plan: ObjectPlan,
  rules: { body?: Record<string, unknown> } | undefined,
  { contentType, body }: Pick<SimulatedRequest, "contentType" | "body">,
): boolean => {
  const sent = parsed(contentType, body);
  return Object.keys(rules?.body ?? {}).every((path) =>
    contains(at(sent, path), at(buildBody(plan, rules?.body), path)),
  );
};

/** Returns whether `sent` contains everything in `wanted`; it may have more members. */
const contains = (sent: Json | undefined, wanted: Json | undefined): boolean =>
  wanted !== undefined && isJsonObject(wanted)
    ? sent !== undefined &&
      isJsonObject(sent) &&
      Object.entries(wanted).every(([name, value]) => contains(sent[name], value))
    : JSON.stringify(sent) === JSON.stringify(wanted);

const filled = (plan: ObjectPlan, value: string | number | boolean): string =>
  typeof value === "string" ? fillText(value, plan) : String(value);

/** Returns whether the request repeats another version than that of the record. */
export const isStale = (rules: Rules, { version }: StoredRecord, request: SimulatedRequest): boolean =>
  rules?.readBefore !== undefined && valueAtPlace(rules.readBefore.to, request) !== String(version);

/** Returns the fields alone, or the reason why the request is refused. */
export function readFieldsAlone(
  plan: ObjectPlan,
  rules: WriteRules & { fieldMask?: FieldMaskRules },
  request: SimulatedRequest,
): JsonObject | string {
  const fields = unwrapFields(plan, rules, request);
  if (!isJsonObject(fields)) return fields;
  if (!hasBody(plan, rules, request)) return "a member of the body is missing";
  const left = plan.typedValues?.writes ? readTypedFields(fields, plan.typedValues) : { ...fields };
  if (!rules.wrap) for (const path of Object.keys(rules.body ?? {})) delete left[path.split(".")[0] ?? ""];
  for (const [name, value] of Object.entries(rules.also ?? {})) {
    if (String(left[name]) !== filled(plan, value)) return `the member ${name} is missing`;
    delete left[name];
  }
  for (const target of [rules.idTo, rules.readBefore?.to, rules.fieldMask?.to])
    if (target?.startsWith("body.")) {
      const path = target.slice("body.".length);
      const { listAt, in: around } = rules.wrap ?? {};
      const within = listAt !== undefined ? `${listAt}.0.` : around !== undefined ? `${around}.` : "";
      delete left[path];
      if (within !== "" && path.startsWith(within)) delete left[path.slice(within.length)];
    }
  for (const [name, target] of Object.entries(rules.fieldsTo ?? {})) {
    const value = at(parsed(request.contentType, request.body), target.slice("body.".length));
    delete left[target.split(".").at(-1) ?? ""];
    if (value !== undefined) left[name] = value;
  }
  return rules.fieldMask ? applyMask(rules.fieldMask, left, request) : left;
}

/** Applies a field mask: members that it does not name stay unchanged, named ones that are absent are cleared. */
function applyMask(mask: FieldMaskRules, fields: JsonObject, request: SimulatedRequest): JsonObject | string {
  const named = valueAtPlace(mask.to, request)?.split(mask.separator ?? ",") ?? [];
  if (Object.keys(fields).length > 0 && named.join("") === "") return "no member is named";
  return Object.fromEntries(named.filter(Boolean).map((name) => [name, fields[name] ?? null]));
}

function valueAtPlace(target: string, { path, contentType, body }: SimulatedRequest): string | undefined {
  const name = target.slice(target.indexOf(".") + 1);
  if (target.startsWith("query."))
    return new URL(path, "http://simulation.invalid").searchParams.get(name) ?? undefined;
  const value = at(parsed(contentType, body), name);
  return value === undefined || value === null ? undefined : String(value);
}

function parsed(contentType: string, body: string): Json {
  if (contentType.includes("form-urlencoded")) return parseForm(body);
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}
