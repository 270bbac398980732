/**
 * Every description is sound and stands any answer. Its facts are held against its vendor's in `facts.test.ts`: a simulation that is
 * made from the description itself could not contradict it.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { listConnectionValues } from "../connector-kit/provider/connection-values.ts";
import { completeProvider } from "../connector-kit/provider/define-provider.ts";
import { testAnswers } from "../tests/harness/declarative-suite.ts";
import { CONNECTORS } from "./connectors.gen.ts";
import { DESCRIPTIONS } from "./descriptions.gen.ts";
import { PROVIDER_TABLE } from "./provider-table.ts";

/** Each answer is given to nine or ten of the fifty-six. */
const SHARES = 6;

for (const [index, [provider, description]] of Object.entries(DESCRIPTIONS).entries()) {
  const connector = CONNECTORS[provider];
  if (connector) testAnswers(provider, description, connector, { index: index % SHARES, of: SHARES });
}

test("connections have the values that a description needs", () => {
  for (const [provider, description] of Object.entries(DESCRIPTIONS)) {
    const facts = PROVIDER_TABLE[provider];
    assert.ok(facts);
    const known = listConnectionValues(completeProvider(provider, facts));
    for (const [, name = ""] of JSON.stringify(description).matchAll(/\{connection\.(\w+)\}/g))
      assert.ok(known.has(name), `${provider} needs ${name}`);
  }
});

test("what is promised names the number of declarative providers", async () => {
  const count = Object.keys(DESCRIPTIONS).length;
  const promises = {
    "README.md": "from",
    "docs/guide/status.md": "from",
    "CHANGELOG.md": "from",
    "docs/decisions/0023-described-connectors.md": "",
  };
  for (const [file, before] of Object.entries(promises)) {
    const text = await readFile(join(import.meta.dirname, "..", file), "utf8");
    assert.match(text, new RegExp(`${before} ?${count} (further )?providers`), file);
  }
});

test("a description names its documentation and when it was checked", () => {
  for (const { sources } of Object.values(DESCRIPTIONS)) {
    assert.match(sources.documentation, /^https:\/\//);
    assert.match(sources.checked, /^\d{4}-\d\d-\d\d, /);
  }
});
