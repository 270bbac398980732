/** Guards which fields of the customer's records are asked for. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defined, buildMetadata, names } from "../../../tests/fixtures/read-fixture.ts";
import { needsMetadata, readSet } from "./read-set.ts";
import { listUnknownFields } from "./list-unknown-fields.ts";

const metadata = buildMetadata(
  { fieldName: "Id" },
  { fieldName: "Name" },
  { fieldName: "Email" },
  { fieldName: "Fax" },
  { fieldName: "Address", providerType: "address" },
);
const manifest = { requiredFields: [{ fieldName: "name" }, { mapToName: "mail" }, { mapToName: "city" }] };

describe("the read set", () => {
  test("has required, selected and mapped fields, each once, in the spelling of the metadata", () => {
    const definition = defined(manifest, {
      selectedFields: { email: true, Fax: false, NAME: true },
      selectedFieldMappings: { mail: "EMAIL" },
    });
    assert.deepEqual(readSet(definition, metadata, names).fields, ["Name", "Email"]);
    assert.deepEqual(readSet(definition, undefined, names).fields, ["name", "email"]);
  });

  test("leaves the id to the connector, and reads nothing for a mapping without a field", () => {
    const definition = defined(manifest, { selectedFields: { id: true } });
    const set = readSet(definition, metadata, names);
    assert.deepEqual(set.fields, ["Name"]);
    assert.deepEqual(
      set.shown.map(({ target }) => target),
      [["name"], ["id"]],
    );
    assert.deepEqual(set.mapped, []);
  });

  test("asks for the first step of a path, or for the field of a related object", () => {
    const definition = defined(
      { requiredFields: [{ fieldName: "$['address']['city']" }, { fieldName: "Owner.Name" }] },
      { selectedFieldMappings: { mail: "$['Owner']['Email']" } },
    );
    assert.deepEqual(readSet(definition, metadata, names).fields, ["Address", "Owner.Name", "Owner.Email"]);
    assert.deepEqual(listUnknownFields(definition, metadata, names), []);
  });

  test("asks for the field that holds a list", () => {
    const definition = defined(
      { requiredFields: [{ fieldName: "$['address'][0]['city']" }] },
      { selectedFieldMappings: { mail: "$['Owner']['Emails'][?primary]['value']", none: "$['phones'][0]" } },
    );
    assert.deepEqual(readSet(definition, metadata, names).fields, ["Address", "Owner.Emails", "phones"]);
    const unknown = listUnknownFields(definition, metadata, names);
    assert.deepEqual(unknown, [{ fieldName: "$['phones'][0]", path: ["selectedFieldMappings", "none"] }]);
  });

  test("tells which fields the manifest requires, mapped ones included", () => {
    const definition = defined(manifest, {
      selectedFields: { fax: true },
      selectedFieldMappings: { mail: "email", own: "address" },
    });
    const { fields, required } = readSet(definition, metadata, names);
    assert.deepEqual(fields, ["Name", "Fax", "Email", "Address"]);
    assert.deepEqual(required, ["Name", "Email"]);
  });

  test("needs metadata for all fields and for paths, not for plain names", () => {
    const isNeeded = (fieldName: string, configured: object = {}) =>
      needsMetadata(defined({ requiredFields: [{ fieldName }] }, configured), names);
    assert.equal(isNeeded("name"), false);
    assert.equal(isNeeded("name", { selectedFieldsAuto: "all" }), true);
    assert.equal(isNeeded("Owner.Name"), true);
    assert.equal(isNeeded("$['Owner']['Name']"), true);
    assert.equal(isNeeded("name", { selectedFieldMappings: { city: "$['Address']['city']" } }), true);
  });

  test("with all has every field of the metadata but excluded ones and those the connector leaves out", () => {
    const all = (configured: object) => {
      const definition = defined(manifest, { selectedFieldsAuto: "all", ...configured });
      const { fields, shown } = readSet(definition, metadata, names);
      return { fields, shown: shown.map(({ target }) => target.join(".")) };
    };
    assert.deepEqual(all({ selectedFields: { FAX: false } }).fields, ["Name", "Email"]);
    assert.deepEqual(all({}).shown, ["name", "id", "email", "fax"]);
    const mapped = all({ selectedFieldMappings: { mail: "email", city: "$['Address']['city']" } });
    assert.deepEqual(mapped.fields, ["Name", "Fax", "Email", "Address"]);
    assert.deepEqual(mapped.shown, ["name", "id", "fax"]);
  });
});

describe("names that the object does not have", () => {
  test("are found wherever manifest and configuration have them, each with its place", () => {
    const filter = (fieldName: string) => ({ fieldName, operator: "eq" as const, value: 1 });
    const definition = defined(
      { requiredFields: [{ fieldName: "gone" }, { fieldName: "name" }] },
      {
        selectedFields: { emial: true, email: true, id: true, fx: false },
        selectedFieldMappings: { mail: "emal", who: "name" },
        fieldFilters: [filter("who"), filter("stge")],
        backfill: { defaultPeriod: { days: 1 }, fieldFilters: [filter("$['no']['such']")] },
      },
    );
    assert.deepEqual(listUnknownFields(definition, metadata, names), [
      { fieldName: "gone", path: [] },
      { fieldName: "emial", path: ["selectedFields", "emial"] },
      { fieldName: "emal", path: ["selectedFieldMappings", "mail"] },
      { fieldName: "stge", path: ["fieldFilters", 1, "fieldName"] },
      { fieldName: "$['no']['such']", path: ["backfill", "fieldFilters", 0, "fieldName"] },
    ]);
  });

  test("do not include a selected name that is the builder's for a mapped field", () => {
    const definition = defined(manifest, {
      selectedFields: { mail: true },
      selectedFieldMappings: { mail: "email" },
    });
    assert.deepEqual(listUnknownFields(definition, metadata, names), []);
    assert.deepEqual(readSet(definition, metadata, names).fields, ["Name", "Email"]);
  });
});
