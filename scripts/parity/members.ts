/** Flattens a schema into a list of members such as `config.content.read.objects{}.selectedFields`, with their types. */
import { asList, asSchema, isSchema, resolve, type Schema } from "./document.ts";

export interface Member {
  /** JSON types, sorted; empty if every type is allowed. */
  types: string[];
  required: boolean;
  /** The allowed values; undefined if there is no list. */
  values?: string[];
  /** Whether other members are allowed. */
  open: boolean;
}

/** Members by path; the schema itself has the empty path. Lists add `[]`, members of any name `{}`. */
export type Members = Map<string, Member>;

/** Limits recursive schemas. */
const MAX_LEVELS = 12;

export function listMembers(root: Schema, schema: Schema): Members {
  const members: Members = new Map();
  collect(root, schema, { path: "", required: true, level: 0 }, members);
  return members;
}

interface Place {
  path: string;
  required: boolean;
  level: number;
}

function collect(root: Schema, given: Schema, place: Place, members: Members): void {
  if (place.level > MAX_LEVELS) return;
  const { parts, alternatives } = splitSchema(root, given);
  if (alternatives.length > 0) {
    collectAlternatives(root, parts, alternatives, place, members);
    return;
  }
  add(members, place, buildMember(parts, place.required));
  for (const part of parts) collectInside(root, part, place, members);
}

function collectInside(root: Schema, part: Schema, { path, level }: Place, members: Members): void {
  const needed = new Set(asList(part["required"]));
  for (const [name, schema] of Object.entries(asSchema(part["properties"]))) {
    const inside = { path: path ? `${path}.${name}` : name, required: needed.has(name), level: level + 1 };
    collect(root, asSchema(schema), inside, members);
  }
  const further: [string, unknown][] = [
    ["[]", part["items"]],
    ["{}", part["additionalProperties"]],
  ];
  for (const [mark, schema] of further) {
    if (!isSchema(schema) || Object.keys(schema).length === 0) continue;
    collect(root, schema, { path: `${path}${mark}`, required: false, level: level + 1 }, members);
  }
}

/** Adds the members of all alternatives; a member is required if every alternative requires it. */
function collectAlternatives(
  root: Schema,
  parts: Schema[],
  alternatives: Schema[],
  place: Place,
  members: Members,
): void {
  const each = alternatives.map((alternative) => {
    const own: Members = new Map();
    collect(root, { allOf: [...parts, alternative] }, place, own);
    return own;
  });
  for (const path of new Set(each.flatMap((own) => [...own.keys()]))) {
    const found = each.flatMap((own) => own.get(path) ?? []);
    const required = found.length === each.length && found.every((member) => member.required);
    const limited = found.every((member) => member.values !== undefined);
    add(
      members,
      { ...place, path },
      {
        types: found.some(({ types }) => types.length === 0) ? [] : sort(found.flatMap(({ types }) => types)),
        required: path === place.path ? place.required : required,
        ...(limited && { values: sort(found.flatMap(({ values = [] }) => values)) }),
        open: found.some(({ open }) => open),
      },
    );
  }
}

/** Splits a schema, without references and `allOf`, into parts that all apply and alternatives of which one applies. */
function splitSchema(root: Schema, given: Schema): { parts: Schema[]; alternatives: Schema[] } {
  const schema = resolve(root, given);
  const { allOf, anyOf, oneOf, ...rest } = schema;
  const within = asList(allOf).map((part) => splitSchema(root, asSchema(part)));
  const choice = [...asList(anyOf), ...asList(oneOf)].filter(isSchema);
  const alternatives = [...choice, ...within.flatMap((part) => part.alternatives)];
  return { parts: [rest, ...within.flatMap((part) => part.parts)], alternatives };
}

function buildMember(parts: Schema[], required: boolean): Member {
  const types = parts.flatMap((part) => listTypes(part));
  const lists = parts.flatMap((part) => {
    if ("const" in part) return [[String(part["const"])]];
    return Array.isArray(part["enum"]) ? [part["enum"].map(String)] : [];
  });
  const named = parts.some(
    (part) => isSchema(part["properties"]) && Object.keys(part["properties"]).length > 0,
  );
  const free = parts.some(
    (part) => part["additionalProperties"] === true || isEmpty(part["additionalProperties"]),
  );
  const isObject = types.includes("object") || types.length === 0;
  const [values] = lists;
  return {
    types: sort(types),
    required,
    ...(values && { values: sort(values) }),
    open: isObject && (free || (!named && !parts.some((part) => isSchema(part["additionalProperties"])))),
  };
}

function listTypes(part: Schema): string[] {
  const stated = typeof part["type"] === "string" ? [part["type"]] : asList(part["type"]).map(String);
  const types = stated.length === 0 && isSchema(part["properties"]) ? ["object"] : stated;
  return part["nullable"] === true ? [...types, "null"] : types;
}

function add(members: Members, { path }: Place, member: Member): void {
  const known = members.get(path);
  if (!known) members.set(path, member);
  else
    members.set(path, {
      ...known,
      required: known.required || member.required,
      open: known.open && member.open,
    });
}

const isEmpty = (value: unknown): boolean => isSchema(value) && Object.keys(value).length === 0;
const sort = (texts: string[]): string[] => [...new Set(texts)].toSorted();
