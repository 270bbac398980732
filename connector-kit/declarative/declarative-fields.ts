/** Describes the fields of objects by a description: those that every account has, and those that the provider lists. */
import { formatFieldPath } from "../../ground/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import type { FieldMetadata, FieldsConnector } from "../fields.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { buildPageRequest, readListPage } from "./list-page.ts";
import type { Description } from "./rules/description.ts";
import type { FieldListRules, FlagRules, MetadataRules } from "./rules/metadata-rules.ts";
import { buildBody } from "./write/body-members.ts";
import { fillPath, fillText } from "./fill-path.ts";
import { getMember, findPlan, buildPlans, type ObjectPlan } from "./object-plan.ts";

type Classify = NonNullable<Connector["classify"]>;

/** More fields than any account has. */
const MAX_PAGES = 50;

/** Returns undefined for a description that tells the fields of no object. */
export function readDeclarativeFields(
  description: Description,
  classify: Classify,
): FieldsConnector | undefined {
  const describes = (objectName: string): boolean =>
    findPlan(description, objectName)?.metadata !== undefined;
  const hasAny = buildPlans(description).some(({ metadata }) => metadata !== undefined);
  if (!hasAny) return undefined;
  return {
    describes,
    async describe(objectName, fetch, account) {
      const plan = findPlan(description, objectName, account);
      const { metadata } = plan ?? {};
      if (!plan || !metadata) {
        const message = `the fields of ${JSON.stringify(objectName)} are not described`;
        throw new ProviderError({ kind: "invalid", message });
      }
      const listed = metadata.list ? await readFieldList(plan, metadata.list, classify, fetch) : [];
      const fields = [...listKnownFields(metadata), ...listed];
      return {
        name: objectName,
        displayName: metadata.label ?? objectName,
        fields: Object.fromEntries(fields.map((field) => [field.fieldName, field])),
      };
    },
  };
}

const listKnownFields = ({ fields = {} }: MetadataRules): FieldMetadata[] =>
  Object.entries(fields).map(([fieldName, { type, label, readOnly, required, values, refersTo }]) => ({
    fieldName,
    displayName: label ?? fieldName,
    valueType: type,
    providerType: type,
    readOnly: readOnly ?? false,
    isCustom: false,
    isRequired: required ?? false,
    ...(refersTo && { referenceTo: refersTo }),
    ...(values && { values: values.map((value) => ({ value, displayValue: value })) }),
  }));

/** Reads all pages of the list of fields, as if the fields were records. */
export async function readFieldList(
  plan: ObjectPlan,
  list: FieldListRules,
  classify: Classify,
  fetch: ProviderFetch,
): Promise<FieldMetadata[]> {
  const rules = listRules(plan, list);
  const asked = planAsked(rules);
  const fields: FieldMetadata[] = [];
  let checkpoint: Checkpoint | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readListPage({ rules, classify, fetch }, asked, checkpoint);
    fields.push(...page.records.flatMap(({ id, raw }) => readListedField(list, id, raw) ?? []));
    checkpoint = page.next;
    if (!checkpoint) return fields;
  }
  throw buildBrokenPage(`the list of the ${rules.name} does not end`);
}

/** Returns the request of the first page of the account's fields. */
export function buildFieldListRequest(plan: ObjectPlan, list: FieldListRules): ProviderRequest {
  const rules = listRules(plan, list);
  return buildPageRequest(rules, planAsked(rules), {});
}

const planAsked = ({ name }: ObjectPlan): ReadPlan => ({
  objectName: name,
  fields: [],
  filters: [],
  associations: [],
});

const listRules = (plan: ObjectPlan, list: FieldListRules): ObjectPlan => ({
  errors: plan.errors,
  name: `fields of ${plan.name}`,
  modes: ["read"],
  idPath: list.name,
  list: {
    path: fillPath(list.path, plan),
    ...(list.headers && { headers: list.headers }),
    ...(list.method && { method: list.method, body: buildBody(plan, list.body) }),
    query: Object.fromEntries(
      Object.entries(list.query ?? {}).map(([name, value]) => [name, fillText(value, plan)]),
    ),
  },
  records: fillPath(list.records, plan),
  ...(list.keyed && { keyed: { name: list.name, type: list.type } }),
  paging: list.paging ?? { none: true },
});

function readListedField(list: FieldListRules, name: string, raw: JsonObject): FieldMetadata | undefined {
  if (list.skip?.some((flag) => isSet(raw, flag))) return undefined;
  const isCustom = list.custom ? isSet(raw, list.custom) : list.customIn !== undefined;
  const steps = list.nameHasDots ? name.split(".") : [name];
  const path = isCustom && list.customIn !== undefined ? [list.customIn, ...steps] : steps;
  const providerType = getTextAt(raw, list.type) ?? "";
  const explanation = list.explanation === undefined ? undefined : getTextAt(raw, list.explanation);
  const referred = list.refersTo === undefined ? undefined : getTextAt(raw, list.refersTo);
  const values = listValues(raw, providerType, list.options);
  return {
    fieldName: formatFieldPath(path),
    displayName: (list.label === undefined ? undefined : getTextAt(raw, list.label)) ?? name,
    ...(explanation !== undefined && { description: explanation }),
    valueType: (Object.hasOwn(list.types, providerType) ? list.types[providerType] : undefined) ?? "other",
    providerType,
    readOnly: isSet(raw, list.readOnly),
    isCustom,
    isRequired: isSet(raw, list.required),
    ...(referred !== undefined && { referenceTo: [referred] }),
    ...(values.length > 0 && { values }),
  };
}

function isSet(raw: JsonObject, flag: FlagRules | undefined): boolean {
  if (!flag) return false;
  const { paths, is, isNot = [] } = flag;
  return paths.every((path) => {
    const value = getTextAt(raw, path) ?? "none";
    return is ? is.includes(value) : !isNot.includes(value);
  });
}

function listValues(
  raw: JsonObject,
  type: string,
  rules: FieldListRules["options"],
): NonNullable<FieldMetadata["values"]> {
  const options = rules && getMember(raw, rules.at.replace("{type}", type));
  if (!rules || !Array.isArray(options)) return [];
  return options.flatMap((option) => {
    const value = readText(option, rules.value);
    return value === undefined ? [] : [{ value, displayValue: readText(option, rules.label) ?? value }];
  });
}

/** The entry itself may be the text. */
function readText(entry: Json, path: string | undefined): string | undefined {
  if (path !== undefined) return getTextAt(entry, path);
  return isJsonObject(entry) || Array.isArray(entry) || entry === null ? undefined : String(entry);
}
