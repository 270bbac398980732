/** Organisations, managed with an API key. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { signIn } from "../../../tests/harness/people.ts";

const busbar = await shareTestBusbar();

const orgId: string = busbar.server.bootstrap?.orgId ?? "";

describe("organisations", () => {
  test("a full key lists the builders of its organisation and of no other", async () => {
    const listed = await busbar.call("GET", `/v1/orgs/${orgId}/builders`);
    assert.equal(listed.status, 200, listed.text);
    assert.equal(listed.body.length, 1);
    const [builder] = listed.body;
    assert.equal(builder.id, busbar.server.bootstrap?.builderId);
    assert.ok(builder.idpProvider && builder.idpRef && builder.createTime);
    const other = (await busbar.call("POST", "/v1/orgs", { label: "Other" })).body;
    assert.equal((await busbar.call("GET", `/v1/orgs/${other.id}/builders`)).status, 403);
    assert.equal((await busbar.call("GET", "/v1/orgs/nonsense/builders")).status, 403);
  });

  test("an organisation is shown to its keys and renamed by its owner", async () => {
    const change = { updateMask: ["label"], org: { label: "Renamed" } };
    assert.equal((await busbar.call("PATCH", `/v1/orgs/${orgId}`, change)).status, 403);
    const renamed = await busbar.call("PATCH", `/v1/orgs/${orgId}`, change, await signIn(busbar));
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await busbar.call("GET", `/v1/orgs/${orgId}`)).body.label, "Renamed");
  });
});
