/** The committed indexes of connectors are those that the folders give. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateConnectors } from "./generate-connectors.ts";

test("connectors/*.gen.ts are fresh", () => {
  for (const [name, text] of Object.entries(generateConnectors()))
    assert.equal(readFileSync(join(import.meta.dirname, "..", "connectors", name), "utf8"), text);
});
