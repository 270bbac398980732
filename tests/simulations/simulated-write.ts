/** Reads the fields of a write, and the key of an upsert, as the description defines them; refuses any other form. */
import type { WriteRules, UpsertRules } from "../../connector-kit/declarative/rules/description.ts";
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { hash } from "node:crypto";
import { extractFromPath } from "./simulated-exchange.ts";

/** Returns the fields, or the reason why the body is refused. */
export function unwrapFields(
  plan: ObjectPlan,
  { wrap, idTo }: WriteRules,
  { contentType, body }: { contentType: string; body: string },
): JsonObject | string {
  if (wrap?.form) return contentType.includes("form-urlencoded") ? parseForm(body) : "the body is not a form";
  if (!contentType.includes("json")) return "the body is not JSON";
  let value: Json;
  try {
    value = JSON.parse(body);
  } catch {
    return "the body is not JSON";
  }
  const path = wrap?.jsonApi
    ? "data.attributes"
    : wrap?.in !== undefined
      ? fillPath(wrap.in, plan)
      : wrap?.listAt !== undefined
        ? `${fillPath(wrap.listAt, plan)}.0`
        : "";
  const held = at(value, path);
  const fields = wrap?.text ? parseBody(held) : held;
  if (fields === undefined || !isJsonObject(fields)) return `the body has no object at ${path}`;
  const name = idTo?.startsWith("body.") ? idTo.slice("body.".length) : undefined;
  const id = name === undefined ? undefined : at(value, name);
  return name === undefined || id === undefined ? fields : { ...fields, [name]: id };
}

function parseBody(text: Json | undefined): Json | undefined {
  return typeof text === "string" ? (JSON.parse(text) as Json) : undefined;
}

/** Parses `a[b]=c`, at any depth; numbers in brackets are indexes of lists. */
export function parseForm(text: string): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const steps = [
      name.split("[")[0] ?? "",
      ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, step = ""]) => step),
    ];
    let place: JsonObject = fields;
    for (const step of steps.slice(0, -1)) {
      const inner = place[step];
      const next: JsonObject = isJsonObject(inner) ? inner : {};
      place[step] = next;
      place = next;
    }
    place[steps.at(-1) ?? ""] = value;
  }
  return fields;
}

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
