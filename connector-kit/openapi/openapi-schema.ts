/** Follows references and paths in the schemas of an OpenAPI document. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

export type Schema = JsonObject;

const MAX_REFERENCES = 20;

/** Resolves a reference; returns an empty object if its target does not exist. What is said beside the reference is about this use of it. */
export function resolveReference(root: JsonObject, given: Json): JsonObject {
  let value: Json | undefined = given;
  const { description = undefined } = isJsonObject(given) && "$ref" in given ? given : {};
  for (let count = 0; count < MAX_REFERENCES; count += 1) {
    if (!isJsonObject(value)) return {};
    const reference: Json | undefined = value["$ref"];
    if (typeof reference !== "string") return description === undefined ? value : { ...value, description };
    value = findTarget(root, reference);
  }
  return {};
}

/** Discovery documents name a schema without a path. */
function findTarget(root: JsonObject, reference: string): Json | undefined {
  const steps = reference.startsWith("#/") ? reference.slice(2).split("/") : ["schemas", reference];
  return steps.reduce<Json | undefined>((value, step) => {
    const name = decodeURIComponent(step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (Array.isArray(value)) return value[Number(name)];
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, root);
}

const MAX_VARIANTS = 60;

/** Returns a schema with all that it is composed of. */
function listVariants(root: JsonObject, schema: Schema): Schema[] {
  const found: Schema[] = [];
  const take = (given: Json): void => {
    const one = resolveReference(root, given);
    if (found.length >= MAX_VARIANTS || found.includes(one)) return;
    found.push(one);
    for (const name of ["allOf", "oneOf", "anyOf"])
      for (const part of Array.isArray(one[name]) ? one[name] : []) take(part);
  };
  take(schema);
  return found;
}

/** Returns the schema of the entries of a list; undefined if it is none. */
export function findEntrySchema(root: JsonObject, schema: Schema): Schema | undefined {
  const list = listVariants(root, schema).find((one) => one["items"] !== undefined);
  return list && resolveReference(root, list["items"] ?? {});
}

/** Returns the members of an object with their schemas. */
export const listMembers = (root: JsonObject, schema: Schema): Map<string, Schema> =>
  new Map(
    listVariants(root, schema).flatMap((one) =>
      Object.entries(isJsonObject(one["properties"]) ? one["properties"] : {}).map(
        ([name, member]) => [name, resolveReference(root, member)] as const,
      ),
    ),
  );

const MAX_NESTED = 8;

/** Returns the names that an object must have, also those of what it is composed of. */
function listRequired(root: JsonObject, given: Schema, levels = MAX_NESTED): string[] {
  const { required, allOf } = resolveReference(root, given);
  const own = Array.isArray(required) ? required.map(String) : [];
  const parts = Array.isArray(allOf) && levels > 0 ? allOf.filter((part) => isJsonObject(part)) : [];
  return [...new Set([...own, ...parts.flatMap((part) => listRequired(root, part, levels - 1))])];
}

/** Returns whether a schema says which members there are. */
const isOpen = (root: JsonObject, schema: Schema): boolean =>
  listVariants(root, schema).every((one) => !isJsonObject(one["properties"]) && one["items"] === undefined) ||
  listVariants(root, schema).some(
    (one) => one["additionalProperties"] === true || isJsonObject(one["additionalProperties"]),
  );

type Found = { schema: Schema } | { missing: string; known: string[] } | "open";

/** Returns the schema at a dotted path; `open` where the document does not say what is there. */
export function resolveSchema(root: JsonObject, schema: Schema, path: string): Found {
  let inner = schema;
  const steps = path === "" ? [] : path.split(".");
  const whole = listMembers(root, schema).get(path);
  if (whole) return { schema: whole };
  for (const [index, step] of steps.entries()) {
    const entry = /^(\d+|\*)$/.test(step) ? findEntrySchema(root, inner) : undefined;
    const members = listMembers(root, inner);
    const next = entry ?? members.get(step);
    if (!next)
      return isOpen(root, inner)
        ? "open"
        : { missing: steps.slice(0, index + 1).join("."), known: [...members.keys()] };
    inner = next;
  }
  return { schema: inner };
}

/** Returns the paths of lists in an answer, those of objects first. */
export function findListPaths(root: JsonObject, schema: Schema): string[] {
  const found: string[] = [];
  const take = (one: Schema, path: string, levels: number): void => {
    if (findEntrySchema(root, one)) return void found.push(path);
    if (levels === 0) return;
    for (const [name, member] of listMembers(root, one))
      take(member, path === "" ? name : `${path}.${name}`, levels - 1);
  };
  take(schema, "", 3);
  return found;
}

/** Returns the leaf members of a body by dotted path, to some depth. */
export function listLeaves(
  root: JsonObject,
  schema: Schema,
  levels = 3,
  path = "",
): Map<string, { schema: Schema; required: boolean }> {
  const leaves = new Map<string, { schema: Schema; required: boolean }>();
  const required = listRequired(root, schema);
  for (const [name, member] of listMembers(root, schema)) {
    const own = path === "" ? name : `${path}.${name}`;
    const below = levels > 1 && listMembers(root, member).size > 0;
    if (below && required.includes(name))
      for (const [inner, leaf] of listLeaves(root, member, levels - 1, own)) leaves.set(inner, leaf);
    else leaves.set(own, { schema: member, required: required.includes(name) });
  }
  return leaves;
}
