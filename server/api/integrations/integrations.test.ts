/** Integrations through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    proxy:
      enabled: true
`;

const busbar = await shareTestBusbar();

describe("integrations", () => {
  const deploy = (sourceYaml: string) => busbar.inProject("PUT", "/integrations:batch", { sourceYaml });

  test("deploying the same manifest again gives a new revision of the same integration", async () => {
    const [first] = (await deploy(MANIFEST)).body;
    const [second] = (await deploy(MANIFEST)).body;
    assert.equal(second.id, first.id);
    assert.notEqual(second.latestRevision.id, first.latestRevision.id);
    assert.equal(
      (await busbar.inProject("GET", "/integrations/crm")).body.latestRevision.id,
      second.latestRevision.id,
    );
    assert.equal((await busbar.inProject("GET", `/integrations/${first.id}`)).body.name, "crm");
    assert.deepEqual(
      (await busbar.inProject("GET", "/integrations")).body.map(({ name }: { name: string }) => name),
      ["crm"],
    );
  });

  test("a manifest with faults is refused with line and rule, and deploys nothing", async () => {
    const answer = await deploy(MANIFEST.replace("name: crm", "name: other").replace("hubspot", "nothing"));
    assert.equal(answer.status, 422, answer.text);
    assert.ok(answer.body.issues[0].line && answer.body.issues[0].rule, answer.text);
    assert.equal((await busbar.inProject("GET", "/integrations/other")).status, 404);
  });

  test("a revision takes the entry of its own name, and is refused without one", async () => {
    const revise = (sourceYaml: string) =>
      busbar.inProject("POST", "/integrations/crm/revisions", { sourceYaml });
    assert.equal((await revise(MANIFEST)).status, 201);
    const refused = await revise(MANIFEST.replace("name: crm", "name: other"));
    assert.deepEqual([refused.status, /`crm`/.test(refused.body.detail)], [422, true], refused.text);
  });

  test("a deleted integration is gone, and its name is free", async () => {
    assert.equal((await busbar.inProject("DELETE", "/integrations/crm")).status, 204);
    assert.equal((await busbar.inProject("DELETE", "/integrations/crm")).status, 404);
    assert.equal((await deploy(MANIFEST)).status, 200);
  });
});
