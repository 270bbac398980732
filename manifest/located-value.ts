/** A map in unchecked data together with its path, and safe access to its members. */
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import type { Path } from "./finding.ts";

export interface LocatedValue {
  path: Path;
  data: JsonObject;
}

export const readMember = (place: LocatedValue, key: string): Json | undefined =>
  Object.hasOwn(place.data, key) ? place.data[key] : undefined;

/** Returns whether the member is there and not null; its type may still be wrong. */
export const has = (place: LocatedValue, key: string): boolean => (readMember(place, key) ?? null) !== null;

/** Returns the text; undefined if it is absent, empty or no text. */
export function readText(place: LocatedValue, key: string): string | undefined {
  const value = readMember(place, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const joinPath = (place: LocatedValue, ...keys: (string | number)[]): Path => [...place.path, ...keys];

export function readMap(place: LocatedValue, key: string): LocatedValue | undefined {
  const value = readMember(place, key);
  return isJsonObject(value) ? { path: joinPath(place, key), data: value } : undefined;
}

/** Returns the entries of a list that are maps; the shape check reports others. */
export function listMaps(place: LocatedValue, key: string): LocatedValue[] {
  const value = readMember(place, key);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    isJsonObject(item) ? [{ path: joinPath(place, key, index), data: item }] : [],
  );
}

/** Returns the members of a map that are maps themselves. */
export function listMemberMaps(place: LocatedValue, key: string): LocatedValue[] {
  const map = readMap(place, key);
  if (!map) return [];
  return Object.entries(map.data).flatMap(([name, member]) =>
    isJsonObject(member) ? [{ path: joinPath(map, name), data: member }] : [],
  );
}

/** Returns the objects of `read`, `write` or `subscribe`. */
export function listObjects(integration: LocatedValue, action: string): LocatedValue[] {
  const block = readMap(integration, action);
  return block ? listMaps(block, "objects") : [];
}

/** Returns the texts of a list with their paths. */
export function readTexts(place: LocatedValue, key: string): { path: Path; text: string }[] {
  const value = readMember(place, key);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    typeof item === "string" ? [{ path: joinPath(place, key, index), text: item }] : [],
  );
}
