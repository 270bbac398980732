import assert from "node:assert/strict";
import { test } from "node:test";
import { monogram } from "./monogram.ts";

test("a monogram has the first letters of two words, and the colour of its provider", () => {
  const readLetters = (name: string) => monogram("any", name).letters;
  assert.deepEqual(
    ["HubSpot", "Salesforce", "Zendesk Support", "x-acme", "hubspot", "AWS", "3CX", ""].map(readLetters),
    ["HS", "S", "ZS", "A", "H", "A", "3C", "?"],
  );
  assert.equal(monogram("hubspot", "HubSpot").hue, monogram("hubspot", "Hubspot (EU)").hue);
  assert.notEqual(monogram("hubspot", "").hue, monogram("salesforce", "").hue);
});
