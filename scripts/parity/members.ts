/** A schema as a flat list of its members: `config.content.read.objects{}.selectedFields` and what each may be. */
import { asList, asSchema, isSchema, resolve, type Schema } from "./document.ts";

export interface Member {
  /** JSON types, sorted; empty where anything goes. */
  types: string[];
  required: boolean;
  /** Undefined: not limited to a list. */
  values?: string[];
  /** Takes members that are not named. */
  open: boolean;
}

/** By path; the value itself under the empty path. Lists add `[]`, members of any name `{}`. */
export type Members = Map<string, Member>;

/** Deep enough for any shape that is not endless. */
const MOST_LEVELS = 12;

export function membersOf(root: Schema, schema: Schema): Members {
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
  if (place.level > MOST_LEVELS) return;
  const { parts, alternatives } = partsOf(root, given);
  if (alternatives.length > 0) {
    collectAlternatives(root, parts, alternatives, place, members);
    return;
  }
  add(members, place, memberOf(parts, place.required));
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

/** A member of one alternative is a member; it is required where every alternative requires it. */
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
        types: found.some(({ types }) => types.length === 0)
          ? []
          : sorted(found.flatMap(({ types }) => types)),
        required: path === place.path ? place.required : required,
        ...(limited && { values: sorted(found.flatMap(({ values = [] }) => values)) }),
        open: found.some(({ open }) => open),
      },
    );
  }
}

/** The schema without references and `allOf`, as parts that all hold, and what it leaves a choice between. */
function partsOf(root: Schema, given: Schema): { parts: Schema[]; alternatives: Schema[] } {
  const schema = resolve(root, given);
  const { allOf, anyOf, oneOf, ...rest } = schema;
  const within = asList(allOf).map((part) => partsOf(root, asSchema(part)));
  const choice = [...asList(anyOf), ...asList(oneOf)].filter(isSchema);
  const alternatives = [...choice, ...within.flatMap((part) => part.alternatives)];
  return { parts: [rest, ...within.flatMap((part) => part.parts)], alternatives };
}

function memberOf(parts: Schema[], required: boolean): Member {
  const types = parts.flatMap((part) => typesOf(part));
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
    types: sorted(types),
    required,
    ...(values && { values: sorted(values) }),
    open: isObject && (free || (!named && !parts.some((part) => isSchema(part["additionalProperties"])))),
  };
}

function typesOf(part: Schema): string[] {
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
const sorted = (texts: string[]): string[] => [...new Set(texts)].toSorted();
