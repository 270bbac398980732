/** A map in unchecked data together with its path, and safe access to its members. */
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import type { Path } from "./finding.ts";

export interface LocatedValue {
  path: Path;
  data: JsonObject;
}

export const memberOf = (place: LocatedValue, key: string): Json | undefined =>
  Object.hasOwn(place.data, key) ? place.data[key] : undefined;

/** Whether the member is there and not null; its type may still be wrong. */
export const has = (place: LocatedValue, key: string): boolean => (memberOf(place, key) ?? null) !== null;

/** Returns the text; undefined if it is absent, empty or no text. */
export function textOf(place: LocatedValue, key: string): string | undefined {
  const value = memberOf(place, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const pathOf = (place: LocatedValue, ...keys: (string | number)[]): Path => [...place.path, ...keys];

export function mapOf(place: LocatedValue, key: string): LocatedValue | undefined {
  const value = memberOf(place, key);
  return isJsonObject(value) ? { path: pathOf(place, key), data: value } : undefined;
}

/** Returns the entries of a list that are maps; the shape check reports others. */
export function mapsOf(place: LocatedValue, key: string): LocatedValue[] {
  const value = memberOf(place, key);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    isJsonObject(item) ? [{ path: pathOf(place, key, index), data: item }] : [],
  );
}

/** Returns the members of a map that are maps themselves. */
export function mapsOfMap(place: LocatedValue, key: string): LocatedValue[] {
  const map = mapOf(place, key);
  if (!map) return [];
  return Object.entries(map.data).flatMap(([name, member]) =>
    isJsonObject(member) ? [{ path: pathOf(map, name), data: member }] : [],
  );
}

/** Returns the objects of `read`, `write` or `subscribe`. */
export function objectsOf(integration: LocatedValue, action: string): LocatedValue[] {
  const block = mapOf(integration, action);
  return block ? mapsOf(block, "objects") : [];
}

/** Returns the texts of a list with their paths. */
export function textsOf(place: LocatedValue, key: string): { path: Path; text: string }[] {
  const value = memberOf(place, key);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    typeof item === "string" ? [{ path: pathOf(place, key, index), text: item }] : [],
  );
}
