/** Cuts examples down to what explains: two entries of a list, and of an object with many members the first few. */

const MOST_ITEMS = 2;
/** More members than any shape has: names of providers, objects or fields. */
const MANY_MEMBERS = 25;
const MOST_MEMBERS = 3;

/** The same value with fewer entries. */
export function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const kept = members.length > MANY_MEMBERS ? members.slice(0, MOST_MEMBERS) : members;
  return Object.fromEntries(kept.map(([name, member]) => [name, shortened(member)]));
}
