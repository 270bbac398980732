/** Providers through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("providers", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  test("the list and a single provider agree, and support names only what is built", async () => {
    const { body } = await on.call("GET", "/v1/providers");
    assert.ok(Object.keys(body).length > 90);
    const { body: hubspot } = await on.call("GET", "/v1/providers/hubspot");
    assert.deepEqual(hubspot, body.hubspot);
    assert.deepEqual([hubspot.support.read, hubspot.support.subscribe], [true, true]);
    assert.deepEqual([body.asana.support.read, body.asana.support.subscribe], [false, false]);
  });

  test("with declared=true, support names what a manifest may declare, as a deployment checks it", async () => {
    const { body } = await on.call("GET", "/v1/providers?declared=true");
    assert.deepEqual([body.asana.support.read, body.asana.support.write], [true, true]);
  });

  test("no credential is needed", async () => {
    const answer = await on.call("GET", "/v1/providers/hubspot", undefined, { "x-api-key": "" });
    assert.equal(answer.status, 200, answer.text);
  });

  test("an unknown provider is refused with 404, also one in other case", async () => {
    for (const name of ["nothing", "HubSpot", "constructor"]) {
      const answer = await on.call("GET", `/v1/providers/${name}`);
      assert.equal(answer.status, 404, answer.text);
      assert.match(answer.body.detail, new RegExp(name));
    }
  });
});
