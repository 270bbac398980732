/** Changes one member of a description at a time. */
import { buildPlans } from "../../connector-kit/declarative/object-plan.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

export interface Mutant {
  /** Where, and what became of it: `defaults.list.path: /v1/{path} → /vq/{path}`. */
  name: string;
  description: Description;
  /** Objects whose rules are others now. */
  objects: string[];
  steps: string[];
}

/**
 * Members that no request and no answer depends on, or that are no facts about the vendor: examples, pace, what is promised; batches and
 * metadata have suites of their own.
 */
const APART = new Set([
  "example",
  "sources",
  "limits",
  "modes",
  "batch",
  "metadata",
  "changedFormat",
  "overlapMinutes",
  "settlingMinutes",
  "idempotencyKeyMinutes",
  "module",
  "like",
  "pattern",
]);

/** Maps whose entries are also left out one by one. */
const MAPS = new Set(["query", "headers", "also", "body", "codes", "statuses", "texts", "fieldsTo"]);

/** Returns every mutant that changes the rules of an object, or of errors. */
export function listMutants(description: Description): Mutant[] {
  const whole = JSON.parse(JSON.stringify(description)) as JsonObject;
  const before = mapRulesByObject(description);
  const mutants: Mutant[] = [];
  for (const { steps, values } of listPlaces(whole, [])) {
    for (const value of values) {
      const copy = structuredClone(whole);
      replaceAt(copy, steps, value);
      const mutated = copy as unknown as Description;
      const objects = listChangedObjects(mutated, before, steps);
      if (objects.length === 0) continue;
      mutants.push({
        name: `${steps.join(".")} → ${value === undefined ? "absent" : JSON.stringify(value)}`,
        description: mutated,
        objects,
        steps,
      });
    }
  }
  return mutants;
}

const mapRulesByObject = (description: Description): Map<string, string> =>
  new Map(buildPlans(description).map((plan) => [plan.name, JSON.stringify(plan)]));

/** Rules of errors and ids concern all; a default that every object overrides concerns none. */
function listChangedObjects(mutated: Description, before: Map<string, string>, [top]: string[]): string[] {
  if (top === "errors" || top === "ids") return [...before.keys()];
  try {
    const after = mapRulesByObject(mutated);
    return [...before].filter(([name, rules]) => after.get(name) !== rules).map(([name]) => name);
  } catch {
    return [...before.keys()];
  }
}

interface Place {
  steps: string[];
  values: (Json | undefined)[];
}

function* listPlaces(value: Json, steps: string[]): Generator<Place> {
  const last = steps.at(-1) ?? "";
  if (APART.has(last)) return;
  if (MAPS.has(steps.at(-2) ?? "") || (isOptional(last) && steps.length > 1))
    yield { steps, values: [undefined] };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* listPlaces(item, [...steps, String(index)]);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* listPlaces(member, [...steps, name]);
  } else {
    const changed = changeLeaf(last, value);
    if (changed.length > 0) yield { steps, values: changed };
  }
}

/** Members that are also left out as a whole. */
const OPTIONAL = new Set([
  "paging",
  "wrap",
  "since",
  "more",
  "template",
  "readBefore",
  "idTo",
  "select",
  "each",
  "parent",
  "pageSize",
]);
const isOptional = (name: string): boolean => OPTIONAL.has(name);

export const METHODS: Record<string, string> = {
  GET: "POST",
  POST: "PUT",
  PUT: "PATCH",
  PATCH: "PUT",
  DELETE: "POST",
};
const FORMATS: Record<string, string[]> = {
  rfc3339: ["unix", "sql"],
  "rfc3339-seconds": ["unix", "rfc3339"],
  sql: ["rfc3339", "unix"],
  unix: ["rfc3339", "unix-ms"],
  "unix-ms": ["rfc3339", "unix"],
  http: ["rfc3339", "unix"],
  "json-date": ["rfc3339", "unix"],
};
const KINDS: Record<string, string> = { rate_limited: "invalid", invalid: "unavailable" };

function changeLeaf(name: string, value: Json): (Json | undefined)[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [name === "most" ? value * 2 + 1 : value + 1];
  if (typeof value !== "string" || value === "") return [];
  if (name === "method") return [METHODS[value] ?? "GET"];
  if (name === "format") return FORMATS[value] ?? ["unix"];
  if (Object.hasOwn(KINDS, value)) return [KINDS[value]];
  return [misspell(value)];
}

/** Changes the last letter that stands outside of placeholders. */
export function misspell(text: string): string {
  const places = [...text.replace(/\{[^{}]*\}/g, (held) => " ".repeat(held.length)).matchAll(/[A-Za-z0-9]/g)];
  const place = places.at(-1)?.index;
  if (place === undefined) return `${text}q`;
  return `${text.slice(0, place)}${text[place] === "q" ? "z" : "q"}${text.slice(place + 1)}`;
}

function replaceAt(target: JsonObject, steps: string[], value: Json | undefined): void {
  let inner: Json | undefined = target;
  for (const step of steps.slice(0, -1))
    inner = Array.isArray(inner) ? inner[Number(step)] : isJsonObject(inner) ? inner[step] : undefined;
  const last = steps.at(-1) ?? "";
  if (Array.isArray(inner)) inner[Number(last)] = value ?? null;
  else if (isJsonObject(inner)) {
    if (value === undefined) delete inner[last];
    else inner[last] = value;
  }
}
