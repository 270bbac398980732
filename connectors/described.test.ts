/** Every described connector passes the suite against the simulation of its provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDescribed } from "../simulations/described-suite.ts";
import { CONNECTORS } from "./connectors.gen.ts";
import { DESCRIPTIONS } from "./descriptions.gen.ts";

for (const [provider, description] of Object.entries(DESCRIPTIONS)) {
  const connector = CONNECTORS[provider];
  if (connector) testDescribed(provider, description, connector);
}

test("a description names its documentation and when it was checked", () => {
  for (const { sources } of Object.values(DESCRIPTIONS)) {
    assert.match(sources.documentation, /^https:\/\//);
    assert.match(sources.checked, /^\d{4}-\d\d-\d\d, /);
  }
});
