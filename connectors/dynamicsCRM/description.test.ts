/** Dataverse: deletions from the audit; columns that hold several choices are fields, although their type says that they hold nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const period = {
  objectName: "contacts",
  since: new Date("2022-05-01T00:00:00Z"),
  until: new Date("2022-06-01T00:00:00Z"),
};

// MicrosoftDocs/powerapps-docs, "Retrieve the history of audited data changes", the example of deleted contacts.
test("deletions are read from the audit of the environment, by the table's logical name", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: {
      "@odata.context":
        "[Organization URI]/api/data/v9.2/$metadata#audits(_objectid_value,objecttypecode,createdon)",
      value: [
        {
          _objectid_value: "0e76dc8a-41b5-ec11-983f-0022482bf046",
          objecttypecode: "contact",
          createdon: "2022-05-12T22:19:12Z",
          transactionid: "00000000-0000-0000-0000-000000000000",
        },
      ],
    },
  });
  const page = await CONNECTORS["dynamicsCRM"]?.read?.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    page?.records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [["0e76dc8a-41b5-ec11-983f-0022482bf046", "2022-05-12T22:19:12.000Z"]],
  );
  const asked = new URL(requests[0]?.path ?? "", "https://acme.example");
  assert.equal(asked.pathname, "/v9.2/audits");
  assert.equal(
    asked.searchParams.get("$filter"),
    "operation eq 3 and objecttypecode eq 'contact' and createdon ge 2022-05-01T00:00:00Z",
  );
  assert.equal(asked.searchParams.get("$orderby"), "createdon");
});

// MicrosoftDocs/powerapps-docs, "Compose HTTP requests and handle errors": 403 for a missing privilege, here prvReadAuditSummary.
test("a user without the privilege of the audit reads no deletions, and the read says so", async () => {
  const { fetch } = replay({
    status: 403,
    body: {
      error: { code: "0x80040220", message: "Principal user is missing prvReadAuditSummary privilege" },
    },
  });
  const page = await CONNECTORS["dynamicsCRM"]?.read?.readDeletions(period, undefined, fetch);
  assert.deepEqual(page?.records, []);
  assert.match(page.warning ?? "", /deletions of contacts are not read.*prvReadAuditSummary/);
});

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
