/** Shortens examples: two entries of a list, and the first members of an object with many. */

const MAX_ITEMS = 2;
/** An object with more members is a map by names of providers, objects or fields. */
const MANY_MEMBERS = 25;
const MAX_MEMBERS = 3;

/** Returns the value with fewer entries. */
export function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const kept = members.length > MANY_MEMBERS ? members.slice(0, MAX_MEMBERS) : members;
  return Object.fromEntries(kept.map(([name, member]) => [name, shorten(member)]));
}
