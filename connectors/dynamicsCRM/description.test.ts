/** Columns of Dataverse tables: those that hold several choices are fields, although their type says that they hold nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const column = (name: string, type: string, typeName: string) => ({
  LogicalName: name,
  AttributeType: type,
  AttributeTypeName: { Value: typeName },
  IsValidForRead: true,
  IsCustomAttribute: true,
});

/**
 * `AttributeTypeDisplayName` of the Web API, and MicrosoftDocs/powerapps-docs, "Virtual (only for MultiSelectPicklistType and FileType)" in the
 * questions about Dataverse search: several choices, images, files and computed names are all `Virtual`.
 */
const COLUMNS = [
  column("quill_tags", "Virtual", "MultiSelectPicklistType"),
  column("entityimage", "Virtual", "ImageType"),
  column("quill_contract", "Virtual", "FileType"),
  column("quill_statusname", "Virtual", "VirtualType"),
  column("quill_grade", "Picklist", "PicklistType"),
  column("quill_partner", "Lookup", "LookupType"),
];

test("columns that hold several choices are fields; images, files and pointers are not", async () => {
  const { fetch } = replay({ status: 200, body: { value: COLUMNS } });
  const described = await CONNECTORS["dynamicsCRM"]?.fields?.describe("contacts", fetch);
  const kinds = Object.values(described?.fields ?? {}).map(({ fieldName, valueType }) => [
    fieldName,
    valueType,
  ]);
  assert.deepEqual(kinds, [
    ["quill_tags", "multiSelect"],
    ["quill_grade", "singleSelect"],
  ]);
});
