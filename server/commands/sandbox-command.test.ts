/** `busbar sandbox PROVIDER` serves a vendor as the facts about it say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startProviderSandbox } from "./sandbox-command.ts";

test("a provider without facts is refused with the names of those that have some", async () => {
  await assert.rejects(
    startProviderSandbox("nothing", 0),
    /no simulation of "nothing"; without a name the CRMs are served; there are .*quickbooks/,
  );
});

test("a vendor that speaks GraphQL answers documents of its schema, and refuses others as its server does", async () => {
  const { url, text, close } = await startProviderSandbox("linear", 0);
  try {
    assert.match(text, /objects with 25 records each: issues, /);
    const ask = async (query: string) => {
      const response = await fetch(`${url}/`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      return { status: response.status, text: await response.text() };
    };
    const page = await ask("{ issues(first: 3) { nodes { identifier } pageInfo { hasNextPage } } }");
    assert.equal(page.text.split("identifier").length, 4);
    assert.match(page.text, /"hasNextPage":true/);
    const strange = await ask("{ issues { nodes { colour } } }");
    assert.equal(strange.status, 400);
    assert.match(strange.text, /Cannot query field .*colour.* on type .*Issue/);
  } finally {
    await close();
  }
});
