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
  /** Grows with every change, from 0. */
  version: number;
  /** The record below which it is listed, as its address names it. */
  parent?: string;
}

/** A record with this value cannot be created, whatever the field. */
export const REFUSED = "a value that the simulation refuses";

/** A value at a path; numbers in it are indexes of lists. */
export function placed(path: string, value: Json): Json {
  if (path === "") return value;
  const [first = "", ...rest] = path.split(".");
  const below = placed(rest.join("."), value);
  return /^\d+$/.test(first) ? [below] : { [first]: below };
}
