/** Request as a simulated vendor receives it, and readers of its values. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";

export interface RawRequest {
  method: string;
  /** Path and query below the base URL. */
  target: string;
  /** Headers by lower-case names. */
  headers: Record<string, string>;
  body: string;
}

export interface VendorRequest {
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  /** Undefined if there is none, or it cannot be read. */
  body: Json | undefined;
  encoding: "json" | "form" | "other" | "none";
}

/** Parses a request. A body that is neither JSON nor a form is reported as `other`. */
export function takeRequest({ method, target, headers, body }: RawRequest): VendorRequest {
  const [path = "", query = ""] = [target.split("?")[0], target.split("?").slice(1).join("?")];
  const type = headers["content-type"] ?? "";
  const encoding =
    body === ""
      ? "none"
      : /\bjson\b/.test(type)
        ? "json"
        : /x-www-form-urlencoded/.test(type)
          ? "form"
          : "other";
  return {
    method,
    path,
    query: [...new URLSearchParams(query)],
    headers,
    body: encoding === "json" ? parseJson(body) : encoding === "form" ? parseForm(body) : undefined,
    encoding,
  };
}

function parseJson(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}

/** Parses `a[b]=c` to `{a: {b: "c"}}`; numbers and empty brackets are positions in a list. */
function parseForm(body: string): JsonObject {
  const members: JsonObject = {};
  for (const [name, value] of new URLSearchParams(body)) {
    const steps = name
      .split(/\[|\]\[|\]$/)
      .filter((step, index, all) => step !== "" || index < all.length - 1);
    let inner: JsonObject = members;
    for (const step of steps.slice(0, -1)) {
      const next = inner[step];
      const made: JsonObject = isJsonObject(next) ? next : {};
      inner[step] = made;
      inner = made;
    }
    inner[steps.at(-1) || String(Object.keys(inner).length)] = value;
  }
  return members;
}

/**
 * Returns the value at `query.<name>`, `header.<name>` or `body.<path>`; undefined if it is absent. For a GraphQL field, the
 * body is its arguments, `argument.<path>`.
 */
export function readValue(request: VendorRequest, target: string): Json | undefined {
  const [place = "", name = ""] = [
    target.slice(0, target.indexOf(".")),
    target.slice(target.indexOf(".") + 1),
  ];
  if (place === "header") return request.headers[name.toLowerCase()];
  if (place === "query") return request.query.findLast(([known]) => known === name)?.[1];
  if (request.body === undefined) return undefined;
  if (isJsonObject(request.body) && Object.hasOwn(request.body, name)) return request.body[name];
  return getValueAt(request.body, name);
}

/** Returns the value as text, the parts of a list separated by commas; undefined if it is absent. */
export function readText(request: VendorRequest, target: string): string | undefined {
  const value = readValue(request, target);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map(String).join(",");
  return isJsonObject(value) ? JSON.stringify(value) : String(value);
}

const SYNTAX = /[.*+?^${}()|[\]\\]/g;

/**
 * Returns what stands at `{name}` in a text that contains the template; spaces may differ. Undefined: the text has no such part.
 * `form` is a regular expression of the value.
 */
export function extractPart(text: string, template: string, name: string, form: string): string | undefined {
  const [before = "", after = ""] = template.split(`{${name}}`);
  const quoted = (part: string) => part.replace(SYNTAX, "\\$&").replace(/\s+/g, "\\s*");
  return new RegExp(`${quoted(before)}(${form})${quoted(after)}`, "i").exec(text)?.[1];
}
