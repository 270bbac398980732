/** Topics through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("topics", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  const create = (name: string) => on.inProject("POST", "/topics", { name });

  test("a topic is created, listed, renamed and deleted", async () => {
    const { status, body: topic } = await create("sales");
    assert.equal(status, 201);
    assert.deepEqual((await on.inProject("GET", `/topics/${topic.id}`)).body, topic);
    const renamed = await on.inProject("PATCH", `/topics/${topic.id}`, { name: "deals" });
    assert.equal(renamed.body.name, "deals");
    assert.ok(renamed.body.updateTime);
    assert.deepEqual((await on.inProject("GET", "/topics")).body, [renamed.body]);
    assert.equal((await on.inProject("DELETE", `/topics/${topic.id}`)).status, 204);
    assert.equal((await on.inProject("DELETE", `/topics/${topic.id}`)).status, 404);
  });

  test("a malformed name is refused with its place, on creation and renaming", async () => {
    const { body: topic } = await create("fine");
    for (const name of ["", "-a", "a b", "x".repeat(65)]) {
      for (const answer of [
        await create(name),
        await on.inProject("PATCH", `/topics/${topic.id}`, { name }),
      ]) {
        assert.equal(answer.status, 422, `${name}: ${answer.text}`);
        assert.equal(answer.body.issues[0].name, "name");
      }
    }
  });

  test("a name that is taken is refused with 409, on creation and renaming", async () => {
    const { body: topic } = await create("free");
    assert.equal((await create("taken")).status, 201);
    assert.equal((await create("taken")).status, 409);
    assert.equal((await on.inProject("PATCH", `/topics/${topic.id}`, { name: "taken" })).status, 409);
  });

  test("an unknown id is refused with 404", async () => {
    for (const id of ["nothing", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      assert.equal((await on.inProject("GET", `/topics/${id}`)).status, 404);
      assert.equal((await on.inProject("PATCH", `/topics/${id}`, { name: "other" })).status, 404);
    }
  });
});
