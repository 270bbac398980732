/** Reads members of the server's answers without assuming their shape. */
import { Failure } from "../failures.ts";

export type Json = string | number | boolean | null | Json[] | JsonObject;

export interface JsonObject {
  [member: string]: Json;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value at a path such as `group.groupRef`, undefined if there is none. */
export function getValueAt(value: Json | undefined, path: string): Json | undefined {
  let found = value;
  for (const step of path.split(".")) {
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** Returns the text at the path, undefined if the value is not a text. */
export function getTextAt(value: Json | undefined, path: string): string | undefined {
  const found = getValueAt(value, path);
  return typeof found === "string" ? found : undefined;
}

/** Returns the objects in the list at the path; empty if there is no list. */
export function listObjectsAt(value: Json | undefined, path: string): JsonObject[] {
  const found = getValueAt(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Returns the text at the path. Throws if it is missing, because then the answer is not a Busbar's. */
export function requireText(value: Json | undefined, path: string): string {
  const found = getTextAt(value, path);
  if (found !== undefined) return found;
  throw refuseAnswer(`it has no \`${path}\``);
}

export function requireObject(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  throw refuseAnswer("it is not an object");
}

export function requireObjects(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw refuseAnswer("it is not a list");
}

const refuseAnswer = (why: string): Failure =>
  new Failure(`The server's answer is not the expected one: ${why}.`, {
    remedy: "Check that the address is that of a Busbar.",
  });

/** Returns undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
