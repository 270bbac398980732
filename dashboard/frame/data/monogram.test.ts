import assert from "node:assert/strict";
import { test } from "node:test";
import { buildMonogram } from "./monogram.ts";

test("a monogram has the first letters of two words, and the colour of its provider", () => {
  const readLetters = (name: string) => buildMonogram("any", name).letters;
  assert.deepEqual(
    ["HubSpot", "Salesforce", "Zendesk Support", "x-acme", "hubspot", "AWS", "3CX", ""].map(readLetters),
    ["HS", "S", "ZS", "A", "H", "A", "3C", "?"],
  );
  assert.equal(buildMonogram("hubspot", "HubSpot").hue, buildMonogram("hubspot", "Hubspot (EU)").hue);
  assert.notEqual(buildMonogram("hubspot", "").hue, buildMonogram("salesforce", "").hue);
});
