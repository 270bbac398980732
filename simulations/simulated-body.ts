/** Reads the fields of a request, as the description defines it; refuses any other form. */
import type { WriteRules } from "../connector-kit/declarative/rules/description.ts";
import { fillPath } from "../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";

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
