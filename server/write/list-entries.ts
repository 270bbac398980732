/** Sets entries of lists in a record that is written: makes them in a create, changes them in the record's current lists. Pure. */
import { isDeepStrictEqual } from "node:util";
import { formatFieldPath, formatListStep, type ListStep, type PathStep } from "../../ground/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

/** A value of a record that belongs into an entry of a list. Stored with queued writes, as JSON. */
export interface ListEntry {
  /** Its name in the request. */
  name: string;
  /** The first one is the provider's field. */
  steps: PathStep[];
  value: Json;
  /** It is set only if its place is empty. */
  ifEmpty?: true;
}

export interface EntryFault {
  name: string;
  detail: string;
}

/** Returns the provider's field that holds the list. */
export const getField = ({ steps: [field] }: ListEntry): string => (typeof field === "string" ? field : "");

/** Returns the value at the place of an entry, undefined if there is none. */
export function getCurrentValue(fields: JsonObject, { steps }: ListEntry): Json | undefined {
  let value: Json | undefined = fields;
  for (const step of steps) {
    if (typeof step === "string") value = readMember(value, step);
    else value = Array.isArray(value) ? value[findIndexIn(value, step)] : undefined;
  }
  return value;
}

/** Adds entries to the fields of a new record: the first of a list, or the first that meets a condition. */
export function makeEntries(fields: JsonObject, entries: readonly ListEntry[]): EntryFault[] {
  const given = entries.filter(({ value }) => value !== null);
  const faults = given.flatMap(({ name, steps }): EntryFault[] => {
    const beyond = steps.find((step) => typeof step !== "string" && "at" in step && step.at > 0);
    if (beyond === undefined || typeof beyond === "string") return [];
    const detail = `It is ${formatListStep(beyond)} of a list, and a new record has no entries before it. Map it to [0] or to a condition such as [?primary], or set it in an update.`;
    return [{ name, detail }];
  });
  if (faults.length > 0) return faults;
  // Positions are resolved first, so that they do not count entries that a condition adds.
  const [placed, others] = [given.filter(isPlaced), given.filter((entry) => !isPlaced(entry))];
  return setEntries(fields, [...placed, ...others]);
}

const isPlaced = ({ steps }: ListEntry): boolean =>
  steps.some((step) => typeof step !== "string" && "at" in step);

/**
 * Sets entries in the lists of a record, which are changed. An entry that no condition finds is appended; a value null clears
 * what is there.
 */
export function setEntries(fields: JsonObject, entries: readonly ListEntry[]): EntryFault[] {
  const places: { name: string; place: (string | number)[]; value: Json }[] = [];
  const faults: EntryFault[] = [];
  for (const { name, steps, value } of entries) {
    const place: (string | number)[] = [];
    const fault = setAt({ container: fields, steps, place }, value);
    if (fault !== undefined) faults.push({ name, detail: `${formatFieldPath(steps)}: ${fault}` });
    const other = places.find(
      (one) =>
        overlapsPath(one.place, place) &&
        !(one.place.length === place.length && isDeepStrictEqual(one.value, value)),
    );
    if (other)
      faults.push({
        name,
        detail: `It is the same entry of this record as \`${other.name}\`. Send one of them.`,
      });
    places.push({ name, place, value });
  }
  return faults;
}

const overlapsPath = (one: (string | number)[], other: (string | number)[]): boolean =>
  one.slice(0, other.length).every((step, index) => step === other[index]);

interface Place {
  container: Json[] | JsonObject;
  steps: readonly PathStep[];
  /** Steps of the path, with the positions found so far. */
  place: (string | number)[];
}

/** Returns why the value cannot be set. */
function setAt({ container, steps: [step, ...rest], place }: Place, value: Json): string | undefined {
  if (step === undefined) return undefined;
  if (typeof step !== "string") {
    if (!Array.isArray(container)) return "the record has no list there";
    return setInList(container, step, { rest, place }, value);
  }
  if (Array.isArray(container)) return "the record has a list there";
  place.push(step);
  if (rest.length === 0) {
    container[step] = value;
    return undefined;
  }
  const inner = readMember(container, step) ?? null;
  const next = inner ?? (typeof rest[0] === "string" ? {} : []);
  if (!Array.isArray(next) && !isJsonObject(next)) return "the record has a plain value there";
  const fault = setAt({ container: next, steps: rest, place }, value);
  // Clearing makes nothing.
  if (fault === undefined && !(inner === null && value === null)) container[step] = next;
  return fault;
}

function setInList(
  list: Json[],
  step: ListStep,
  { rest, place }: { rest: PathStep[]; place: (string | number)[] },
  value: Json,
): string | undefined {
  const found = findIndexIn(list, step);
  const index = found < 0 ? list.length : found;
  place.push(index);
  const isThere = index < list.length;
  if ("at" in step && step.at > list.length)
    return `the record's list has ${list.length} entries, so that none can be set there`;
  if ("at" in step && !isThere && step.at > 0) return "the record's list has no such entry";
  if (value === null && !isThere) return undefined;
  if (rest.length === 0 && value === null) {
    list.splice(index, 1);
    return undefined;
  }
  const made =
    rest.length === 0 ? value : isThere ? (list[index] ?? null) : typeof rest[0] === "string" ? {} : [];
  if (!("at" in step) && !isThere && isJsonObject(made)) {
    const fault = setAt({ container: made, steps: step.member, place: [] }, step.is);
    if (fault !== undefined) return fault;
  }
  if (!("at" in step) && !isJsonObject(made)) return "an entry that a condition finds is an object";
  if (rest.length > 0) {
    if (!Array.isArray(made) && !isJsonObject(made)) return "the entry is a plain value";
    const fault = setAt({ container: made, steps: rest, place }, value);
    if (fault !== undefined) return fault;
  }
  list[index] = made;
  return undefined;
}

/** Returns the index of an entry, -1 if a condition finds none; that of a position may lie behind the end. */
function findIndexIn(list: readonly Json[], step: ListStep): number {
  if ("at" in step) return step.at;
  return list.findIndex(
    (entry) =>
      step.member.reduce<Json | undefined>((value, name) => readMember(value, name), entry) === step.is,
  );
}

const readMember = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
