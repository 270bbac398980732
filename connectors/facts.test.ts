/** The files of facts have their form, and each fact names where it comes from. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shapeFaults } from "../connector-kit/check-provider.ts";
import { FactsSchema, type Facts } from "../connector-kit/facts/facts.ts";

for (const file of globSync("*/facts.json", { cwd: import.meta.dirname }).toSorted()) {
  const facts: Facts = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
  test(`${file} has the form of facts`, () => {
    assert.deepEqual(shapeFaults(FactsSchema, facts, "facts"), []);
    assert.equal(file, `${facts.provider}/facts.json`);
  });
  test(`each request in ${file} names a source that is there`, () => {
    for (const [name, object] of Object.entries(facts.objects))
      for (const action of ["list", "changes", "get", "create", "update", "upsert", "delete"] as const) {
        const source = object[action]?.source.split("#")[0];
        assert.ok(source === undefined || Object.hasOwn(facts.sources, source), `${name}.${action}`);
      }
  });
}
