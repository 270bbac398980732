/** The committed index of connectors is the one that the folders give. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateConnectors } from "./generate-connectors.ts";

test("connectors/index.gen.ts is fresh", () => {
  const committed = readFileSync(join(import.meta.dirname, "..", "connectors", "index.gen.ts"), "utf8");
  assert.equal(committed, generateConnectors());
});
