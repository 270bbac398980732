// Definitions of a Salesforce organisation's fields and objects, and their notation.

export type PicklistValue = { value: string; label: string; active: boolean; defaultValue: boolean };

export type Scalar = string | number | boolean | null;

export type Field = {
  name: string;
  label: string;
  /** Type in describe's answer: string, double, boolean, reference, … */
  type: string;
  length: number;
  precision: number;
  scale: number;
  nillable: boolean;
  createable: boolean;
  updateable: boolean;
  defaultedOnCreate: boolean;
  defaultValue: Scalar;
  unique: boolean;
  externalId: boolean;
  custom: boolean;
  picklist: PicklistValue[];
  restricted: boolean;
  referenceTo: string[];
  relationshipName: string | null;
  filterable: boolean;
  /** Computes the value from the record's other values and the time. */
  formula?: (values: Record<string, Scalar>, now: number) => Scalar;
  /** Rights of the integration user; with "none", the field seems not to exist. */
  access: "none" | "read" | "edit";
  /** Definition of a field that was created through the Metadata API. */
  metadata?: Record<string, unknown>;
  /** Whether it existed and was visible before the Metadata API changed it. */
  seeded?: boolean;
};

export type ObjectDefinition = {
  name: string;
  label: string;
  plural: string;
  prefix: string;
  custom: boolean;
  /** Name of the relationship from a parent to records of this object. */
  childrenName: string;
  fields: Map<string, Field>;
};

type Extra = {
  length?: number;
  required?: boolean;
  readOnly?: boolean;
  createOnly?: boolean;
  unique?: boolean;
  externalId?: boolean;
  picklist?: string[];
  restricted?: boolean;
  to?: string;
  defaultValue?: Scalar;
  scale?: number;
  formula?: (values: Record<string, Scalar>, now: number) => Scalar;
};

const LONG_TEXT = 32_000;

const LENGTHS: Record<string, number> = {
  string: 255,
  textarea: LONG_TEXT,
  email: 80,
  phone: 40,
  url: 255,
  picklist: 255,
  id: 18,
  reference: 18,
};

export function defineField(name: string, type: string, extra: Extra = {}): Field {
  const relationshipName =
    extra.to === undefined
      ? null
      : name.endsWith("__c")
        ? name.replace(/__c$/, "__r")
        : name.replace(/Id$/, "");
  const number = type === "double" || type === "currency" || type === "percent";
  const boolean = type === "boolean";
  return {
    name,
    label: toLabel(name),
    type,
    length: extra.length ?? LENGTHS[type] ?? 0,
    precision: number ? 18 : 0,
    scale: number ? (extra.scale ?? 2) : 0,
    nillable: extra.required !== true && !boolean,
    createable: extra.readOnly !== true,
    updateable: extra.readOnly !== true && extra.createOnly !== true,
    defaultedOnCreate: boolean || extra.defaultValue !== undefined,
    defaultValue: extra.defaultValue ?? (boolean ? false : null),
    unique: extra.unique === true,
    externalId: extra.externalId === true,
    custom: name.endsWith("__c"),
    picklist: (extra.picklist ?? []).map((value) => ({
      value,
      label: value,
      active: true,
      defaultValue: value === extra.defaultValue,
    })),
    restricted: extra.restricted === true,
    referenceTo: extra.to === undefined ? [] : [extra.to],
    relationshipName,
    filterable: type !== "address" && (type !== "textarea" || (extra.length ?? LONG_TEXT) <= 255),
    ...(extra.formula === undefined ? {} : { formula: extra.formula }),
    access: "edit",
  };
}

function toLabel(name: string): string {
  const words = name
    .replace(/__c$/, "")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2");
  return words.endsWith(" Id") ? words.replace(/ Id$/, " ID") : words;
}

const SYSTEM_FIELDS = (): Field[] => [
  defineField("Id", "id", { readOnly: true, defaultValue: "" }),
  defineField("IsDeleted", "boolean", { readOnly: true }),
  defineField("CreatedDate", "datetime", { readOnly: true, required: true, defaultValue: "" }),
  defineField("CreatedById", "reference", { readOnly: true, required: true, to: "User", defaultValue: "" }),
  defineField("LastModifiedDate", "datetime", { readOnly: true, required: true, defaultValue: "" }),
  defineField("LastModifiedById", "reference", {
    readOnly: true,
    required: true,
    to: "User",
    defaultValue: "",
  }),
  defineField("SystemModstamp", "datetime", { readOnly: true, required: true, defaultValue: "" }),
];

export function buildObjectDefinition(
  name: string,
  prefix: string,
  fields: Field[],
  plural = `${name}s`,
): ObjectDefinition {
  const owner = OWNERLESS.has(name)
    ? []
    : [defineField("OwnerId", "reference", { to: "User", required: true, defaultValue: "" })];
  const missing = MISSING[name] ?? [];
  const all = [...SYSTEM_FIELDS(), ...owner, ...fields].filter((one) => !missing.includes(one.name));
  return {
    name,
    label: toLabel(name),
    plural: toLabel(plural),
    prefix,
    childrenName: plural,
    custom: name.endsWith("__c"),
    fields: new Map(all.map((one) => [one.name.toLowerCase(), one])),
  };
}

const OWNERLESS = new Set([
  "User",
  "Organization",
  "PermissionSet",
  "PermissionSetAssignment",
  "FieldPermissions",
  "ObjectPermissions",
  "AccountHistory",
  "AccountShare",
]);

/** System fields that an object lacks, so that another field is its change time, or its deletion is unknown. */
const MISSING: Record<string, string[]> = {
  User: ["IsDeleted"],
  AccountHistory: ["SystemModstamp", "LastModifiedDate", "LastModifiedById"],
  AccountShare: ["SystemModstamp", "CreatedDate", "CreatedById"],
};
