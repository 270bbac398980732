/** Guards the guesses at what somebody meant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closest, didYouMean } from "./closest.ts";

test("a slip of the finger finds the name, a different word does not", () => {
  assert.equal(closest("hubspto", ["salesforce", "hubspot"]), "hubspot");
  assert.equal(closest("Contacts", ["contact", "contacts"]), "contacts");
  assert.equal(closest("optionalField", ["optionalFields", "optionalFieldsAuto"]), "optionalFields");
  assert.equal(closest("asana", ["attio", "close"]), undefined);
  assert.equal(closest("x".repeat(5000), ["x".repeat(5000)]), undefined);
});

test("without a guess the other text is used", () => {
  assert.equal(didYouMean("zzz", ["hubspot"], "See the list."), "See the list.");
});
