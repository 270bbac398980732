/** Guards the translation of filters to the provider's names and values. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { resolveFilters, findRepeatedFilter, searchFilters } from "./provider-filters.ts";
import { defined, buildMetadata, names } from "../../../tests/fixtures/read-fixture.ts";

const definition = defined(
  {},
  {
    selectedFieldMappings: { tier: "Rank__c", email: "WorkEmail" },
    selectedValueMappings: { tier: { gold: "1" }, Stage: { won: "closedwon", "7": "seven" } },
  },
);
const metadata = buildMetadata({ fieldName: "Email" }, { fieldName: "Rank__c" }, { fieldName: "WorkEmail" });
const filter = (fieldName: string, value: string | number | boolean) => ({ fieldName, value });

describe("filters", () => {
  test("take mapped names and the provider's, and values of the builder's tables or the provider's", () => {
    for (const translate of [resolveFilters, searchFilters]) {
      const filters = [filter("tier", "gold"), filter("stage", "won"), filter("other", true)];
      assert.deepEqual(translate(filters, definition, undefined, names), [
        filter("Rank__c", "1"),
        filter("stage", "closedwon"),
        filter("other", true),
      ]);
      const values = [filter("rank__c", "gold"), filter("tier", "9"), filter("stage", 7), filter("tier", 1)];
      assert.deepEqual(translate(values, definition, metadata, names), [
        filter("Rank__c", "1"),
        filter("Rank__c", "9"),
        filter("stage", "seven"),
        filter("Rank__c", 1),
      ]);
    }
  });

  test("with a name that is both: a configuration means the provider's field, a search the builder's", () => {
    const both = [filter("email", "a@b.c")];
    assert.deepEqual(resolveFilters(both, definition, metadata, names), [filter("Email", "a@b.c")]);
    assert.deepEqual(searchFilters(both, definition, metadata, names), [filter("WorkEmail", "a@b.c")]);
  });

  test("for the same field twice are found, whatever the spelling", () => {
    const filters = (...fields: string[]) =>
      searchFilters(
        fields.map((name) => filter(name, 1)),
        definition,
        metadata,
        names,
      );
    assert.equal(findRepeatedFilter(filters("tier", "email"), names), undefined);
    assert.equal(findRepeatedFilter(filters("tier", "email", "RANK__C"), names), 2);
  });
});
