/** Looks into answers of the server without trusting their shape. */
import { Failure } from "../failures.ts";

export type Json = string | number | boolean | null | Json[] | JsonObject;

export interface JsonObject {
  [member: string]: Json;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path such as `group.groupRef`; undefined when there is none on the way. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let found = value;
  for (const step of path.split(".")) {
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** The text at the path, undefined when something else is there. */
export function textAt(value: Json | undefined, path: string): string | undefined {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : undefined;
}

/** The objects in a list at the path; anything else there counts as none. */
export function objectsAt(value: Json | undefined, path: string): JsonObject[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Throws when a text that every such answer has is missing: then it was not a Busbar that answered. */
export function requireText(value: Json | undefined, path: string): string {
  const found = textAt(value, path);
  if (found !== undefined) return found;
  throw notUnderstood(`it has no \`${path}\``);
}

export function requireObject(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  throw notUnderstood("it is no object");
}

export function requireObjects(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw notUnderstood("it is no list");
}

const notUnderstood = (why: string): Failure =>
  new Failure(`The server's answer is not the expected one: ${why}.`, {
    remedy: "Check that the address is that of a Busbar.",
  });

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
