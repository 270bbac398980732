/** Recognises upserts by the description: their key, and the fields to write. */
import { hash } from "node:crypto";
import type { UpsertRules } from "../connector-kit/declarative/rules/description.ts";
import { fillPath } from "../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import { unwrapFields } from "./simulated-body.ts";
import { extractFromPath } from "./value-in-path.ts";

/** Reads an upsert: undefined for another path, a text if it is refused. */
export function readUpsert(
  rules: UpsertRules,
  plan: ObjectPlan,
  request: { url: URL; contentType: string; body: string },
): { key: string; value: string; fields: JsonObject } | string | undefined {
  const places = rules.keys.flatMap((key) => {
    const template = rules.path.replaceAll("{key}", key).replace("{value}", "\u0000");
    const value = extractFromPath(fillPath(template, plan), request.url);
    return value === undefined ? [] : [{ key, value }];
  });
  const [first] = places;
  if (!first) return undefined;
  const fields = unwrapFields(plan, rules, request);
  if (typeof fields === "string") return fields;
  const named = readKeyName(rules, request.body);
  if (rules.keyNameTo !== undefined && named === undefined) return "the name of the key is missing";
  const key =
    named ??
    (/\{(key|value)\}/.test(rules.path)
      ? first.key
      : rules.keys.find(
          (name) => Object.hasOwn(fields, name) || keyValue(rules, name, request.body) !== undefined,
        ));
  if (key === undefined && rules.keyValueTo !== undefined) return undefined;
  if (key === undefined || !rules.keys.includes(key)) return "no key is given";
  const isInBody = first.value === "" || rules.keyHash !== undefined;
  const value = isInBody ? (fields[key] ?? keyValue(rules, key, request.body)) : first.value;
  if (value === undefined || value === null) return `the key ${key} has no value`;
  if (rules.keyHash && first.value !== hash(rules.keyHash, String(value).toLowerCase()))
    return "the path has not the hash of the key";
  return { key, value: String(value), fields: withoutName(rules, fields) };
}

/** Returns the value of the key if it has a place of its own in the body. */
function keyValue({ keyValueTo }: UpsertRules, key: string, text: string): Json | undefined {
  if (!keyValueTo?.startsWith("body.")) return undefined;
  const body: Json = JSON.parse(text);
  return at(body, keyValueTo.slice("body.".length).replace("{key}", key));
}

/** Returns the name of the key in the body. */
function readKeyName({ keyNameTo }: UpsertRules, text: string): string | undefined {
  if (keyNameTo === undefined) return undefined;
  const body: Json = JSON.parse(text);
  const value = at(body, keyNameTo.slice("body.".length));
  const name = Array.isArray(value) ? value[0] : value;
  return typeof name === "string" ? name : undefined;
}

function withoutName({ keyNameTo = "" }: UpsertRules, fields: JsonObject): JsonObject {
  const [name = ""] = keyNameTo.slice("body.".length).split(".");
  const { [name]: _, ...rest } = fields;
  return isJsonObject(rest) ? rest : fields;
}
