/** Guards the guesses at what somebody meant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findClosest, suggestName } from "./closest.ts";

test("a slip of the finger finds the name, a different word does not", () => {
  assert.equal(findClosest("hubspto", ["salesforce", "hubspot"]), "hubspot");
  assert.equal(findClosest("Contacts", ["contact", "contacts"]), "contacts");
  assert.equal(findClosest("optionalField", ["optionalFields", "optionalFieldsAuto"]), "optionalFields");
  assert.equal(findClosest("asana", ["attio", "close"]), undefined);
  assert.equal(findClosest("x".repeat(5000), ["x".repeat(5000)]), undefined);
});

test("without a guess the other text is used", () => {
  assert.equal(suggestName("zzz", ["hubspot"], "See the list."), "See the list.");
});
