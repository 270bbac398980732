/** Records and answers of a simulated provider. */
import type { Json, JsonObject } from "../ground/json.ts";

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
export function putAt(path: string, value: Json): Json {
  if (path === "") return value;
  const [first = "", ...rest] = path.split(".");
  const below = putAt(rest.join("."), value);
  return /^\d+$/.test(first) ? [below] : { [first]: below };
}
