/** Requests, answers and records of a simulated provider, independent of the transport. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";

export interface SimulatedRequest {
  method: string;
  /** Path with the query. */
  path: string;
  /** Base URL of the account, for absolute addresses of next pages. */
  baseUrl: string;
  contentType: string;
  /** Headers by lower-case names. */
  headers?: NodeJS.Dict<string | string[]>;
  body: string;
}

export interface SimulatedAnswer {
  status: number;
  headers: Record<string, string>;
  body?: Json;
}

export interface StoredRecord {
  id: string;
  fields: JsonObject;
  /** Milliseconds since 1970. */
  changedAt: number;
  /** Version, from 0, which grows with every change. */
  version: number;
  /** Parent in whose list the record is, as addresses name it. */
  parent?: string;
}

/** Value with which no record can be created, in any field. */
export const REFUSED = "a value that the simulation refuses";

/** Builds JSON with a value at a path; numbers in the path are indexes of lists. */
export function buildAtPath(path: string, value: Json): Json {
  if (path === "") return value;
  const [first = "", ...rest] = path.split(".");
  const below = buildAtPath(rest.join("."), value);
  return /^\d+$/.test(first) ? [below] : { [first]: below };
}

/** Builds the values of a connection to a simulated account, one for each placeholder. Each has a character that is encoded in paths. */
export function buildAccountValues(description: Description): Account {
  const names = JSON.stringify(description).matchAll(/\{connection\.(\w+)\}/g);
  return { values: Object.fromEntries(Array.from(names, ([, name = ""]) => [name, `own ${name}`])) };
}

/** Extracts a value from a path: returns what is at NUL in the template, "" if the template has none; undefined for another path. */
export function extractFromPath(template: string, url: URL): string | undefined {
  const [wanted = "", query = ""] = template.split("?");
  let inQuery = "";
  for (const [name, value] of new URLSearchParams(query)) {
    const given = url.searchParams.get(name);
    if (value === "\u0000" && given) inQuery = given;
    else if (given !== value) return undefined;
  }
  const pattern = wanted.split("\u0000").map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(`^${pattern.join("([^/]+)")}$`).exec(url.pathname);
  return found ? decodeURIComponent(found[1] ?? inQuery) : undefined;
}
