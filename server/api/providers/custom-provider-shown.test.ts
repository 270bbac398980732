/** A project's custom provider is shown where the published UI library looks for it, and to nobody else. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const busbar = await shareTestBusbar();

const made = await busbar.inProject("PUT", "/providers/x-quill", {
  displayName: "Quill CRM",
  authType: "apiKey",
  baseURL: "https://api.quill.example",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Quill-Key" } },
});
assert.ok(made.status < 300, made.text);

describe("GET /v1/providers/{key} of a custom provider", () => {
  const shown = (headers: Record<string, string>) =>
    busbar.call("GET", "/v1/providers/x-quill", undefined, headers);

  test("is the provider for keys of the project, also those for browsers", async () => {
    assert.equal((await shown({})).body.displayName, "Quill CRM");
    const { body } = await busbar.inProject("POST", "/api-keys", { label: "browser", scopes: ["frontend"] });
    const answer = await shown({ "x-api-key": body.key });
    assert.deepEqual([answer.status, answer.body.displayName], [200, "Quill CRM"], answer.text);
  });

  test("is 404 for everybody else: without a key, with a wrong one, and with one of another project", async () => {
    const other = await busbar.call("POST", "/v1/projects", {
      name: "elsewhere",
      appName: "Elsewhere",
      orgId: (await busbar.inProject("GET", "")).body.orgId,
    });
    assert.equal(other.status, 201, other.text);
    const key = await busbar.call("POST", "/v1/projects/elsewhere/api-keys", {
      label: "x",
      scopes: ["full"],
    });
    assert.ok(key.body.key, key.text);
    for (const apiKey of ["", "wrong", key.body.key]) {
      const answer = await shown({ "x-api-key": apiKey });
      assert.equal(answer.status, 404, apiKey);
      // Whoever looks with a token that has expired must not look for the fault in the key of the provider.
      const why = apiKey === key.body.key ? /There is no provider/ : /this call has none that is valid/;
      assert.match(answer.body.detail, why);
    }
  });

  test("of the catalog stays open to everybody, whatever key they send", async () => {
    const answer = await busbar.call("GET", "/v1/providers/hubspot", undefined, { "x-api-key": "wrong" });
    assert.equal(answer.status, 200);
  });
});
