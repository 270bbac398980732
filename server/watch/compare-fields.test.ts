/** Comparing fields: what counts as created, deleted and changed, and for which objects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldMetadata } from "../../connector-kit/fields.ts";
import type { Json } from "../../ground/json.ts";
import { compareFields, readKnownFields, toKnownFields } from "./compare-fields.ts";
import { listWatchedObjects } from "./watched-objects.ts";

const field = (fieldName: string, changes: Partial<FieldMetadata> = {}): FieldMetadata => ({
  fieldName,
  displayName: fieldName,
  valueType: "string",
  providerType: "text",
  readOnly: false,
  isCustom: true,
  isRequired: false,
  ...changes,
});

function compare(before: FieldMetadata[], after: FieldMetadata[]) {
  const byName = (fields: FieldMetadata[]) => Object.fromEntries(fields.map((one) => [one.fieldName, one]));
  const stored: Json = JSON.parse(
    JSON.stringify(toKnownFields({ name: "o", displayName: "O", fields: byName(before) })),
  );
  const { created, deleted, changed, any } = compareFields(readKnownFields(stored), byName(after));
  const names = [created, deleted, changed.map(({ newSchema }) => newSchema)];
  assert.equal(any, names.flat().length > 0);
  return names.map((fields) => fields.map(({ fieldName }) => fieldName));
}

test("created and deleted fields are found; a renamed field is both", () => {
  const kept = field("kept");
  assert.deepEqual(compare([kept, field("old"), field("b")], [field("a"), field("new"), kept]), [
    ["a", "new"],
    ["b", "old"],
    [],
  ]);
});

test("type, label, description and readOnly count as changes; values and requirement do not", () => {
  const values = [{ value: "1", displayValue: "One" }];
  const before = ["a", "b", "c", "d", "e", "f", "g"].map((name) => field(name, { values }));
  const after = [
    field("a", { valueType: "int" }),
    field("b", { providerType: "phone" }),
    field("c", { displayName: "C" }),
    field("d", { description: "now explained" }),
    field("e", { readOnly: true }),
    field("f", { values: [], isRequired: true, referenceTo: ["x"] }),
    field("g"),
  ];
  assert.deepEqual(compare(before, after), [[], [], ["a", "b", "c", "d", "e"]]);
});

test("a field named like a member of every object is a field", () => {
  assert.deepEqual(compare([field("constructor")], [field("toString")]), [["toString"], ["constructor"], []]);
});

test("watched are the objects that the installation reads, also those that the manifest has no more", () => {
  const objects = [
    { objectName: "contacts", mapToName: "person", destination: "d" },
    { objectName: "companies", destination: "d", enabled: "always" as const },
    { objectName: "deals", destination: "d" },
    { objectName: "tickets", destination: "d" },
  ];
  const manifest = { name: "crm", provider: "hubspot", read: { objects } };
  const configured = (objectName: string, more: object = {}) => ({
    objectName,
    selectedFields: {},
    selectedFieldMappings: {},
    ...more,
  });
  const content = {
    provider: "hubspot",
    read: {
      objects: {
        contacts: configured("contacts"),
        tickets: configured("tickets", { disabled: true }),
        gone: configured("products"),
      },
    },
  };
  assert.deepEqual(listWatchedObjects(manifest, content, new Map([["products", "item"]])), [
    { objectName: "contacts", messageName: "person" },
    { objectName: "companies", messageName: "companies" },
    { objectName: "products", messageName: "item" },
  ]);
});
