/** Sessions through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("sessions", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  const signIn = (apiKey: string) => on.call("POST", "/v1/sessions", { apiKey }, { "x-api-key": "" });

  test("a session opens what its person may, until it is deleted", async () => {
    const { status, body } = await signIn(on.apiKey);
    assert.equal(status, 201);
    const headers = { "x-api-key": "", authorization: `Bearer ${body.token}` };
    const me = await on.call("GET", "/v1/my-info", undefined, headers);
    assert.equal(me.body.builder.id, body.builderId, me.text);
    assert.equal((await on.call("DELETE", "/v1/sessions/current", undefined, headers)).status, 204);
    assert.equal((await on.call("GET", "/v1/my-info", undefined, headers)).status, 401);
  });

  test("an unknown key is refused with 401, an empty one with its place", async () => {
    assert.equal((await signIn("bb_nonsense")).status, 401);
    const empty = await signIn("");
    assert.deepEqual([empty.status, empty.body.issues[0].name], [400, "apiKey"]);
  });
});
