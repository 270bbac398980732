/** The committed index of destinations is the one that the folders give. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateDestinations } from "./generate-destinations.ts";

test("destinations/index.gen.ts is fresh", () => {
  const committed = readFileSync(join(import.meta.dirname, "..", "destinations", "index.gen.ts"), "utf8");
  assert.equal(committed, generateDestinations());
});
