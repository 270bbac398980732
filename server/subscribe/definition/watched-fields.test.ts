/** Which changes of fields count, by mapped names and by the provider's, in which spelling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCatalog } from "../../../connectors/catalog.ts";
import { defined } from "../../../tests/fixtures/read-fixture.ts";
import type { Watch } from "./subscribe-definition.ts";
import { resolveWatchedFields, listWatchNames } from "./watched-fields.ts";

const catalog = buildCatalog();
const watched = (provider: string, watch: Watch) => {
  const read = defined({
    requiredFields: [{ fieldName: "Email" }, { fieldName: "LastName", mapToName: "familyName" }],
  });
  return resolveWatchedFields({ watch, read }, listWatchNames(catalog.connector(provider)));
};

test("listed names are compared exactly for HubSpot, and in any case for Salesforce", () => {
  const hubspot = watched("hubspot", ["Phone", "mobile"]);
  assert.equal(hubspot.isTouched(["phone"]), false);
  assert.equal(hubspot.isTouched(["mobile"]), true);
  assert.deepEqual([hubspot.names, hubspot.misspelt], [["mobile"], ["Phone"]]);
  const salesforce = watched("salesforce", ["phone"]);
  assert.equal(salesforce.isTouched(["Phone"]), true);
  assert.deepEqual(salesforce.misspelt, []);
});

test("fields that are read, mapped ones too, are recognised in every spelling in which they are read", () => {
  for (const provider of ["hubspot", "salesforce"]) {
    assert.equal(watched(provider, ["familyName"]).isTouched(["lastname"]), true, provider);
    const selected = watched(provider, "selected");
    assert.equal(selected.isTouched(["email"]), true, provider);
    assert.equal(selected.isTouched(["phone"]), false, provider);
  }
});

test("a change of unknown fields counts, and so does every change if all fields are watched", () => {
  assert.equal(watched("hubspot", ["Phone"]).isTouched(undefined), true);
  assert.equal(watched("hubspot", "all").isTouched(["phone"]), true);
});
