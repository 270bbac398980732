/** Parses the paths of an installation's `updateMask` and picks the named values from the request. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";

export const ACTIONS = ["read", "write", "subscribe"] as const;
export type ConfigAction = (typeof ACTIONS)[number];

/** The target of one path. `path` is below `config.content`, for example `["write", "objects", "Contact"]`; empty: all of it. */
export type MaskTarget =
  | { kind: "connectionId" }
  | { kind: "createdBy" }
  | { kind: "content"; path: readonly string[] };

/** The allowed forms of a path, for error messages. */
export const MASK_FORMS =
  "connectionId, config.createdBy, config.content (as a whole), config.content.<read|write|subscribe>.objects.<name>, " +
  "config.content.<write|subscribe>.objects, config.content.read.objects.<name>.disabled, config.content.proxy.enabled";

/**
 * Returns the target of a path, or undefined if it has no known form or names an unknown object. In names, dots, colons,
 * slashes and backslashes are escaped with a backslash. Published clients do not escape, so if the part up to the first
 * dot is not a known name, the longest known name is used.
 */
export function readMaskPath(
  path: string,
  knows: (action: ConfigAction, objectName: string) => boolean,
): MaskTarget | undefined {
  const steps = splitMaskPath(path);
  if (steps.length === 1 && steps[0] === "connectionId") return { kind: "connectionId" };
  if (steps[0] !== "config") return undefined;
  if (steps.length === 2 && steps[1] === "createdBy") return { kind: "createdBy" };
  const [, content, block, member, ...rest] = steps;
  if (content !== "content") return undefined;
  if (block === undefined) return { kind: "content", path: [] };
  if (block === "proxy" && member === "enabled" && rest.length === 0) {
    return { kind: "content", path: ["proxy", "enabled"] };
  }
  const action = ACTIONS.find((name) => name === block);
  if (!action || member !== "objects") return undefined;
  if (rest.length === 0) {
    return action === "read" ? undefined : { kind: "content", path: [action, "objects"] };
  }
  const named = splitObjectName(rest, action, (name) => knows(action, name));
  return named && { kind: "content", path: [action, "objects", ...named] };
}

/** Splits at dots that are not escaped, and removes the escaping backslashes. */
export function splitMaskPath(path: string): string[] {
  const steps = [""];
  for (const [part] of path.matchAll(/\\[^]|[^]/g)) {
    if (part === ".") steps.push("");
    else steps[steps.length - 1] += part.length > 1 ? part.slice(1) : part;
  }
  return steps;
}

/** `[name]` or `[name, "disabled"]`. */
function splitObjectName(
  steps: string[],
  action: ConfigAction,
  isKnown: (name: string) => boolean,
): string[] | undefined {
  const lengths = [1, ...steps.map((_step, index) => steps.length - index)];
  for (const length of lengths) {
    const name = steps.slice(0, length).join(".");
    const below = steps.slice(length);
    const fits = below.length === 0 || (action === "read" && below.length === 1 && below[0] === "disabled");
    if (fits && isKnown(name)) return [name, ...below];
  }
  return undefined;
}

/** Returns the key of the entry for the object; the name itself if there is none. */
export function findObjectKey(objects: Json | undefined, objectName: string): string {
  if (!isJsonObject(objects)) return objectName;
  const getName = (key: string, object: Json): Json =>
    isJsonObject(object) && Object.hasOwn(object, "objectName") && object["objectName"]
      ? object["objectName"]
      : key;
  const found = Object.entries(objects).find(([key, object]) => getName(key, object) === objectName);
  return found?.[0] ?? objectName;
}

/** Returns the value at a path, or undefined if it is absent or null. */
export function getValueAt(content: Json | undefined, path: readonly string[]): Json | undefined {
  let value = content;
  for (const [depth, step] of path.entries()) {
    const key = isObjectStep(path, depth) ? findObjectKey(value, step) : step;
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value ?? undefined;
}

/** Returns the content with the value at the path; missing objects on the way are created. */
export function withValueAt(
  content: JsonObject,
  path: readonly string[],
  value: Json,
  depth = 0,
): JsonObject {
  const step = path[depth];
  if (step === undefined) return content;
  const key = isObjectStep(path, depth) ? findObjectKey(content, step) : step;
  if (depth === path.length - 1) return { ...content, [key]: value };
  const inner = Object.hasOwn(content, key) ? content[key] : undefined;
  return { ...content, [key]: withValueAt(isJsonObject(inner) ? inner : {}, path, value, depth + 1) };
}

/** Below `<action>.objects`, the path has the object's name, which is not always the key of its entry. */
const isObjectStep = (path: readonly string[], depth: number): boolean =>
  depth === 2 && path[1] === "objects";

/** Returns the path of an object, as the configuration spells it. */
export function placeOfObject(content: unknown, objectName: string, action: ConfigAction = "read"): string[] {
  const objects = isJsonObject(content as Json)
    ? getValueAt(content as JsonObject, [action, "objects"])
    : undefined;
  return [action, "objects", isJsonObject(objects) ? findObjectKey(objects, objectName) : objectName];
}
