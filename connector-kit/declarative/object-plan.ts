/** The rules of one object: the description's defaults with the object's exceptions. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { Account } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { KnownObjects } from "../known-objects.ts";
import { planGraphql } from "./plan-graphql.ts";
import type { Mode, ObjectPlan } from "./plan.ts";
import { toPlainValues } from "./write/typed-values.ts";
import { getTextAt, getValueAt } from "../calls/get-text-at.ts";
import type { Description, ObjectRules, UpsertRules } from "./rules/description.ts";

export type { Mode, ObjectPlan };

const ALL_MODES: Mode[] = ["read", "create", "update", "delete"];

/** Returns the plan of an object. Throws `ProviderError` for an object or a mode that the description does not have. */
export function toObjectPlan(
  description: Description,
  name: string,
  mode: Mode,
  account: Account | undefined,
): ObjectPlan {
  const plan = findPlan(description, name, account);
  if (!plan) {
    const like = listOthers(description).map((others) => `names such as ${others.like}`);
    const known = [...Object.keys(description.objects), ...like].join(", ");
    throw buildInvalid(`there is no object ${JSON.stringify(name)}; there are ${known}`);
  }
  if (!plan.modes.includes(mode))
    throw buildInvalid(`${name} cannot be ${PAST[mode]}; it can be ${describeModes(plan.modes)}`);
  return plan;
}

/** Returns the plan of an object; undefined if the description does not have it. */
export function findPlan(description: Description, name: string, account?: Account): ObjectPlan | undefined {
  const { objects } = description;
  const own = Object.hasOwn(objects, name) ? objects[name] : undefined;
  if (own) return mergeRules(description, name, own, account);
  const others = listOthers(description).find((form) => isOther(form, name));
  return others && mergeRules(description, name, findRulesOfOther(others, name), account);
}

/** Returns the forms of names that only the account knows. */
export const listOthers = ({ others }: Description): Others[] =>
  others ? [others, ...(others.further ?? [])] : [];

type Others = Pick<NonNullable<Description["others"]>, "pattern" | "like" | "rules">;

function findRulesOfOther({ pattern, rules }: Others, name: string): ObjectRules {
  const path = new RegExp(`^(?:${pattern})$`).exec(name)?.groups?.["path"];
  return path === undefined ? rules : { ...rules, path };
}

/** Limits the time of a pattern, which a builder may have written. */
const LONGEST_NAME = 300;

/** Returns whether an object that the description does not name follows its rules for others. */
export const isOther = ({ pattern }: { pattern: string }, name: string): boolean =>
  name.length <= LONGEST_NAME && new RegExp(`^(?:${pattern})$`).test(name);

/** Returns the plans of all objects; those of other names are one, under a name like theirs. */
export function buildPlans(description: Description, account?: Account): ObjectPlan[] {
  const named: [string, ObjectRules][] = Object.entries(description.objects);
  for (const others of listOthers(description))
    named.push([others.like, findRulesOfOther(others, others.like)]);
  return named.map(([name, rules]) => mergeRules(description, name, rules, account));
}

/** Returns the name of an object whose list needs nothing but credentials. */
export const findCheapestObject = (description: Description): string | undefined =>
  buildPlans(description).find(
    ({ name, modes, parent, list }) =>
      name in description.objects && modes.includes("read") && !parent && list !== undefined,
  )?.name;

/** Merges the rules of an object over the defaults. An object with rules for an upsert can be upserted, whatever its modes. */
export function mergeRules(
  description: Description,
  name: string,
  rules: ObjectRules,
  account?: Account,
): ObjectPlan {
  const plan = withDefaults(description, name, rules, account);
  const { graphql } = description;
  return graphql && plan.graphql ? { ...plan, ...planGraphql(graphql, plan.graphql, plan) } : plan;
}

const withDefaults = (
  { defaults, errors }: Description,
  name: string,
  rules: ObjectRules,
  account: Account | undefined,
): ObjectPlan => ({
  ...defaults,
  ...rules,
  ...(account?.values && { connection: account.values }),
  ...(errors.okWhen !== undefined && { okWhen: errors.okWhen }),
  errors,
  name,
  modes: [
    ...(rules.modes ?? defaults.modes ?? ALL_MODES),
    ...((rules.upsert ?? defaults.upsert) ? (["upsert"] as const) : []),
  ],
  idPath: rules.idPath ?? defaults.idPath ?? "id",
});

/** Returns the most records of a request; 0 if no object has batches. Objects without batches are written one by one. */
export const findLargestBatch = (description: Description): number =>
  Math.max(
    0,
    ...buildPlans(description).flatMap(({ batch = {} }) => {
      return [batch.requests, batch.create, batch.update, batch.upsert].map((one) => one?.most ?? 0);
    }),
  );

const PAST: Record<Mode, string> = {
  read: "read",
  create: "created",
  update: "updated",
  delete: "deleted",
  upsert: "upserted",
};
const describeModes = (modes: Mode[]): string => modes.map((mode) => PAST[mode]).join(", ");

const buildInvalid = (message: string): ProviderError => new ProviderError({ kind: "invalid", message });

/** Returns the key of an upsert in the provider's spelling: a caller may write names in any case. */
export const readKey = ({ keys }: UpsertRules, { key }: { key?: string }): string =>
  keys.find((name) => name.toLowerCase() === key?.toLowerCase()) ?? "";

/** Returns where the name of the key goes, besides the path. */
export function listKeyPlaces(
  rules: UpsertRules,
  write: { key?: string },
): [target: string, value: string | string[]][] {
  const { keyNameTo, keyNameList = false } = rules;
  const key = readKey(rules, write);
  return keyNameTo === undefined ? [] : [[keyNameTo, keyNameList ? [key] : key]];
}

/** Google's calendars have ids of 1024 characters. */
const LONGEST_ID = 1_024;

export type IdFault = (
  id: string | undefined,
  plan: Pick<ObjectPlan, "idPattern"> | undefined,
) => ProviderError | undefined;

/** Returns a function that says why an id of an object cannot be sent; undefined if it can. */
export function findIdFaults({ ids }: Description): IdFault {
  const usual = ids?.number ? "[0-9]{1,20}" : "[A-Za-z0-9_-]{1,255}";
  const ofAll = ids?.pattern ?? usual;
  return (id, plan) =>
    id !== undefined && id.length <= LONGEST_ID && new RegExp(`^(?:${plan?.idPattern ?? ofAll})$`).test(id)
      ? undefined
      : buildInvalid(`${JSON.stringify(id)} is not a record id`);
}

/** Returns the value at a path; an empty path is the whole. A member whose name has dots is taken by its whole name. */
export function getMember(value: Json | undefined, path: string | undefined): Json | undefined {
  if (value === undefined || !path) return value;
  return isJsonObject(value) && Object.hasOwn(value, path) ? value[path] : getValueAt(value, path);
}

export const readRecordId = (record: Json | undefined, plan: ObjectPlan): string | undefined =>
  record === undefined ? undefined : getTextAt(record, plan.idPath);

const byName = (entries: Json[], path: string): JsonObject =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const name = getTextAt(entry, path);
      return name === undefined ? [] : [[name, entry] as const];
    }),
  );

/** Returns the record's fields in one name space: its members, and those of the flattened member. */
export function flattenValues(
  record: JsonObject,
  { flatten, flattenBy, typedValues }: ObjectPlan,
): JsonObject {
  const member = flatten === undefined ? undefined : record[flatten];
  const inner = flattenBy !== undefined && Array.isArray(member) ? byName(member, flattenBy) : member;
  if (inner === undefined || !isJsonObject(inner)) return record;
  return { ...record, ...(typedValues ? toPlainValues(inner, typedValues) : inner) };
}

/** Returns what is known of the objects without an account. */
export function listKnownObjects(description: Description): KnownObjects {
  const isSupported = (action: "read" | "write", modes: Mode[]): boolean =>
    modes.some((mode) => (action === "read") === (mode === "read"));
  return {
    ...(description.module !== undefined && { module: description.module }),
    names: (action) =>
      buildPlans(description).flatMap(({ name, modes }) => (isSupported(action, modes) ? [name] : [])),
    fields(objectName) {
      const { fields, list } = findPlan(description, objectName)?.metadata ?? {};
      return fields && !list ? Object.keys(fields) : undefined;
    },
    can: (action, objectName) => isSupported(action, findPlan(description, objectName)?.modes ?? []),
  };
}
