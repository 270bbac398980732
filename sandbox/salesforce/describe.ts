// Describes the organisation's objects and fields.

import type { Data } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Field } from "./fields.ts";
import type { ObjectStore, Org } from "./org.ts";
import { listChildRelationships } from "./soql-children.ts";
import { API, findStore, listVisibleFields, type OrgSource } from "./sobjects.ts";

export function addDescribeRoutes(router: Router, org: OrgSource): void {
  router.add("GET", `${API}/sobjects`, (exchange) => {
    const version = exchange.params["version"] ?? "";
    const sobjects = [...org().stores.values()].map((store) => buildSummary(store, version));
    return { status: 200, body: { encoding: "UTF-8", maxBatchSize: 200, sobjects } };
  });
  router.add("GET", `${API}/sobjects/:object`, (exchange) => {
    const store = findStore(org(), exchange.params["object"] ?? "");
    return {
      status: 200,
      body: { objectDescribe: buildSummary(store, exchange.params["version"] ?? ""), recentItems: [] },
    };
  });
  router.add("GET", `${API}/sobjects/:object/describe`, (exchange) => {
    const store = findStore(org(), exchange.params["object"] ?? "");
    return { status: 200, body: buildDescription(org(), store, exchange.params["version"] ?? "") };
  });
}

const READ_ONLY_OBJECTS = new Set(["User", "Organization"]);

function buildSummary(store: ObjectStore, version: string): Data {
  const { name, label, plural, prefix, custom } = store.definition;
  const base = `/services/data/${version}/sobjects/${name}`;
  const writable = !READ_ONLY_OBJECTS.has(name);
  return {
    name,
    label,
    labelPlural: plural,
    keyPrefix: prefix,
    custom,
    customSetting: false,
    activateable: false,
    createable: writable,
    updateable: writable,
    deletable: writable,
    undeletable: writable,
    mergeable: false,
    replicateable: true,
    retrieveable: true,
    queryable: true,
    searchable: true,
    layoutable: true,
    triggerable: true,
    feedEnabled: false,
    deprecatedAndHidden: false,
    urls: { sobject: base, describe: `${base}/describe`, rowTemplate: `${base}/{ID}` },
  };
}

function buildDescription(org: Org, store: ObjectStore, version: string): Data {
  return {
    ...buildSummary(store, version),
    actionOverrides: [],
    childRelationships: listChildRelationships(org, store).map(({ name, store: child, field }) => ({
      childSObject: child.definition.name,
      field: field.name,
      relationshipName: name,
      cascadeDelete: false,
      deprecatedAndHidden: false,
      restrictedDelete: false,
      junctionIdListNames: [],
      junctionReferenceTo: [],
    })),
    recordTypeInfos: [],
    supportedScopes: [],
    fields: listVisibleFields(store).map((field) => describeField(field, isPerson(store))),
  };
}

const SOAP_TYPES: Record<string, string> = {
  id: "tns:ID",
  reference: "tns:ID",
  boolean: "xsd:boolean",
  int: "xsd:int",
  double: "xsd:double",
  currency: "xsd:double",
  percent: "xsd:double",
  date: "xsd:date",
  datetime: "xsd:dateTime",
};

const NAME_PARTS: readonly string[] = ["Salutation", "FirstName", "LastName"];
const ADDRESS_PART = /^(.*)(Street|City|State|PostalCode|Country)$/;

const isPerson = (store: ObjectStore): boolean =>
  listVisibleFields(store).some(({ name }) => name === "LastName");

/** Returns the name of the compound field to which a field belongs, as Salesforce describes contacts and leads. */
function listCompounds(name: string, isPersonAccount: boolean): string | null {
  if (isPersonAccount && NAME_PARTS.includes(name)) return "Name";
  const prefix = ADDRESS_PART.exec(name)?.[1];
  return prefix === undefined ? null : `${prefix}Address`;
}

function describeField(field: Field, isPart: boolean): Data {
  const { picklist, access, ...shown } = field;
  const editable = access === "edit";
  return {
    name: shown.name,
    label: shown.label,
    type: shown.type,
    soapType: SOAP_TYPES[shown.type] ?? "xsd:string",
    length: shown.length,
    byteLength: shown.length * 3,
    precision: shown.precision,
    scale: shown.scale,
    digits: shown.type === "int" ? 9 : 0,
    nillable: shown.nillable,
    createable: shown.createable && editable,
    updateable: shown.updateable && editable,
    defaultedOnCreate: shown.defaultedOnCreate,
    defaultValue: shown.defaultValue === "" ? null : shown.defaultValue,
    unique: shown.unique,
    externalId: shown.externalId,
    idLookup: shown.externalId || shown.name === "Id" || shown.name === "Email",
    custom: shown.custom,
    calculated: shown.formula !== undefined,
    calculatedFormula: null,
    compoundFieldName: listCompounds(shown.name, isPart),
    autoNumber: false,
    caseSensitive: false,
    filterable: shown.filterable,
    groupable: shown.filterable,
    sortable: shown.filterable && shown.type !== "multipicklist",
    aggregatable: true,
    nameField: shown.name === "Name",
    namePointing: false,
    permissionable: shown.nillable,
    restrictedPicklist: shown.restricted,
    dependentPicklist: false,
    controllerName: null,
    inlineHelpText: null,
    extraTypeInfo: null,
    htmlFormatted: false,
    encrypted: false,
    deprecatedAndHidden: false,
    referenceTo: shown.referenceTo,
    relationshipName: shown.relationshipName,
    relationshipOrder: null,
    picklistValues: picklist.map(({ active, defaultValue, label, value }) => ({
      active,
      defaultValue,
      label,
      validFor: null,
      value,
    })),
  };
}
