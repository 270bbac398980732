/** Puts values where a description says: into the query or the body of a request. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { TimeForm } from "./rules/description.ts";

export interface RequestParts {
  query: [name: string, value: string][];
  body: JsonObject;
  headers?: Record<string, string>;
  /** Values of the placeholders in the query of a list. */
  filled?: Record<string, string>;
}

/** Puts the value at `query.<name>`, `body.<path>`, `header.<name>` or `fill.<name>`. */
export function put(parts: RequestParts, target: string, value: Exclude<Json, null>): void {
  const name = target.slice(target.indexOf(".") + 1);
  if (target.startsWith("query.")) parts.query.push([name, String(value)]);
  else if (target.startsWith("fill.")) parts.filled = { ...parts.filled, [name]: String(value) };
  else if (target.startsWith("header."))
    parts.headers = { ...parts.headers, [name.toLowerCase()]: String(value) };
  else parts.body = nestValue(name, value, parts.body);
}

/** Returns `value` at a dotted path, merged into `around`. A path with `@` is one name; a number is an index of a list. */
export function nestValue(path: string, value: Json, around: JsonObject = {}): JsonObject {
  const [first = "", ...rest] = path.startsWith("@") ? [path] : path.split(".");
  if (rest.length === 0) return { ...around, [first]: value };
  const inner = around[first];
  if (/^\d{1,3}$/.test(rest[0] ?? "") && (inner === undefined || Array.isArray(inner)))
    return { ...around, [first]: withEntry(inner ?? [], rest, value) };
  return { ...around, [first]: nestValue(rest.join("."), value, isJsonObject(inner) ? inner : {}) };
}

function withEntry(list: Json[], [index, ...rest]: string[], value: Json): Json[] {
  const position = Math.min(Number(index), list.length);
  const entry = list[position];
  const inner = entry !== undefined && isJsonObject(entry) ? entry : {};
  const changed = rest.length === 0 ? value : nestValue(rest.join("."), value, inner);
  return [...list.slice(0, position), changed, ...list.slice(position + 1)];
}

/** Returns path and query. */
export function withQuery(path: string, query: RequestParts["query"]): string {
  if (query.length === 0) return path;
  const encoded = query.map(([name, value]) => `${encodeName(name)}=${encodeURIComponent(value)}`);
  return `${path}${path.includes("?") ? "&" : "?"}${encoded.join("&")}`;
}

/** Providers with names such as `page[size]` and `$filter` document these signs unescaped. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll("%5B", "[").replaceAll("%5D", "]").replaceAll("%24", "$");

export function formatTime(time: Date, form: TimeForm = "rfc3339"): string {
  if (form === "unix") return String(Math.floor(time.getTime() / 1000));
  if (form === "unix-ms") return String(time.getTime());
  if (form === "json-date") return `/Date(${time.getTime()}+0000)/`;
  if (form === "http") return time.toUTCString();
  const text = time.toISOString();
  if (form === "sql") return text.slice(0, 19).replace("T", " ");
  return form === "rfc3339-seconds" ? text.replace(/\.\d+Z$/, "Z") : text;
}

/** Encodes nested members as `a[b]=c`, lists as `a[0]=c`. */
export function encodeForm(fields: JsonObject): string {
  const pairs: string[] = [];
  const add = (name: string, value: Json): void => {
    if (Array.isArray(value)) value.forEach((item, index) => add(`${name}[${index}]`, item));
    else if (isJsonObject(value))
      for (const [key, item] of Object.entries(value)) add(`${name}[${key}]`, item);
    else pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? "" : String(value))}`);
  };
  for (const [name, value] of Object.entries(fields)) add(name, value);
  return pairs.join("&");
}
