/** Lists the fields of a simulated account in the form of the description. */
import type { FieldListRules, FlagRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { nestValue } from "../../connector-kit/declarative/request-parts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { type SimulatedAnswer, extractFromPath } from "./simulated-exchange.ts";
import { hasBody } from "./simulated-beside.ts";
import { buildPage, type ListQuery } from "./simulated-list.ts";

/** Fields for the list: one of each type, and one that connectors must skip. Flags are set alternately. */
interface SimulatedField {
  name: string;
  providerType: string;
  isCustom: boolean;
  isReadOnly: boolean;
  isRequired: boolean;
  isSkipped: boolean;
  values: string[];
}

function listAccountFields({ metadata, example = {} }: ObjectPlan): SimulatedField[] {
  const list = metadata?.list;
  if (!list) return [];
  const types = Object.keys(list.types);
  const textType = types.find((type) => list.types[type] === "string") ?? types[0] ?? "";
  const plain = { isReadOnly: false, isRequired: false, isSkipped: false, values: [] };
  const isAlwaysCustom = list.customIn !== undefined && list.custom === undefined;
  const known = isAlwaysCustom
    ? []
    : Object.keys(example)
        .filter((name) => name !== findSkippedName(list))
        .map((name) => ({ name, providerType: textType, isCustom: false, ...plain }));
  const typed = types.map((providerType, index) => ({
    name: `${list.nameHasDots && index % 2 === 0 ? "own." : ""}field_${index}`,
    providerType,
    isCustom: isAlwaysCustom || (list.custom !== undefined && index % 2 === 0),
    isReadOnly: isReadOnlyByType(list, providerType) ?? (list.readOnly !== undefined && index % 3 === 0),
    isRequired: list.required !== undefined && index % 3 === 1,
    isSkipped: false,
    values: list.options && list.types[providerType]?.endsWith("Select") ? ["a", "b"] : [],
  }));
  const skipped = {
    name: findSkippedName(list) ?? "field_skipped",
    providerType: textType,
    isCustom: false,
    ...plain,
    isSkipped: true,
  };
  return [...known, ...typed, ...(list.skip ? [skipped] : [])];
}

/** Returns the name of a field that connectors skip by its name. */
const findSkippedName = ({ skip, name }: FieldListRules): string | undefined =>
  skip?.find(({ paths }) => paths.includes(name))?.is?.[0];

/** Returns whether fields of the type are read-only; undefined if the type does not determine it. */
function isReadOnlyByType({ type, readOnly }: FieldListRules, providerType: string): boolean | undefined {
  if (!readOnly?.paths.every((path) => path === type)) return undefined;
  return readOnly.is?.includes(providerType) ?? !readOnly.isNot?.includes(providerType);
}

/** Answers with a page of fields; undefined for an unrelated request. */
export function answerFieldPage(
  plan: ObjectPlan,
  method: string,
  query: ListQuery,
): SimulatedAnswer | undefined {
  const list = plan.metadata?.list;
  if (
    !list ||
    method !== (list.method ?? "GET") ||
    extractFromPath(fillPath(list.path, plan), query.url) === undefined
  )
    return undefined;
  const sent = { contentType: "application/json", body: JSON.stringify(query.body) };
  if (!hasBody(plan, list, sent)) return undefined;
  for (const [name, value] of Object.entries(list.query ?? {}))
    if (query.url.searchParams.get(name) !== fillPath(value, plan)) return undefined;
  const fields = listAccountFields(plan).map((field) => ({
    id: field.name,
    fields: findEntry(list, field),
    changedAt: 0,
    version: 0,
  }));
  const asList: ObjectPlan = {
    name: "fields",
    modes: ["read"],
    idPath: list.name,
    records: fillPath(list.records, plan),
    paging: list.paging ?? { none: true },
  };
  const page = buildPage(asList, query, fields, ({ fields: entry }) => entry);
  return list.keyed && page.body !== undefined ? { ...page, body: keyByName(list, page.body) } : page;
}

/** Converts the list to an object; entries that have only name and type become texts. */
function keyByName({ records, name, type }: FieldListRules, body: Json): Json {
  const listed = at(body, records);
  const members = (Array.isArray(listed) ? listed : []).map((entry): [string, Json] => {
    const isText = isJsonObject(entry) && Object.keys(entry).every((key) => key === name || key === type);
    return [String(at(entry, name)), isText ? (at(entry, type) ?? null) : entry];
  });
  const keyed = Object.fromEntries(members);
  return records === "" || !isJsonObject(body) ? keyed : nestValue(records, keyed, body);
}

function findEntry(list: FieldListRules, field: SimulatedField): JsonObject {
  let entry = nestValue(list.type, field.providerType, nestValue(list.name, field.name));
  const put = (path: string | undefined, value: Json): void => {
    if (path !== undefined) entry = nestValue(path, value, entry);
  };
  const flag = (rules: FlagRules | undefined, isSet: boolean): void => {
    // A flag that depends on the type is not set for the types that the description knows.
    for (const path of rules?.paths ?? [])
      if (rules && path !== list.type && path !== list.name) put(path, flagValue(rules, isSet));
  };
  put(list.label, `Label of ${field.name}`);
  put(list.explanation, `About ${field.name}`);
  for (const [index, rules] of (list.skip ?? []).entries()) flag(rules, field.isSkipped && index === 0);
  flag(list.custom, field.isCustom);
  flag(list.readOnly, field.isReadOnly);
  flag(list.required, field.isRequired);
  const { options } = list;
  if (options && field.values.length > 0)
    put(
      options.at.replace("{type}", field.providerType),
      field.values.map((value) =>
        options.value === undefined
          ? value
          : nestValue(
              options.value,
              value,
              options.label === undefined ? {} : nestValue(options.label, `Value ${value}`),
            ),
      ),
    );
  return entry;
}

/** Returns the value of a flag: booleans of texts are booleans in JSON. */
function flagValue({ is, isNot = [] }: FlagRules, isSet: boolean): Json {
  const [named = "none"] = is ?? isNot;
  const isNamed = isSet === (is !== undefined);
  if (named === "true" || named === "false") return (named === "true") === isNamed;
  if (!isNamed) return "something else";
  return named === "none" ? null : named;
}
