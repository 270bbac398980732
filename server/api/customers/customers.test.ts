/** Groups and consumers through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

describe("groups and consumers", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    await connectCustomer(on, { provider: "hubspot", objects: ["contacts"] });
  });

  const show = async () => {
    const [connection] = (await on.inProject("GET", "/connections?groupRef=acme")).body;
    return [connection.group.groupName, connection.consumer.consumerName];
  };

  test("creating them again renames them, for existing connections too", async () => {
    assert.deepEqual(await show(), ["acme", "acme-admin"]);
    const group = { groupRef: "acme", groupName: "Acme Inc." };
    assert.equal((await on.inProject("POST", "/groups", group)).status, 201);
    const consumer = { consumerRef: "acme-admin", consumerName: "Ada" };
    assert.equal((await on.inProject("POST", "/consumers", consumer)).status, 201);
    assert.deepEqual(await show(), ["Acme Inc.", "Ada"]);
  });

  test("missing and too long names are refused and named", async () => {
    const groups = await on.inProject("POST", "/groups", { groupRef: "acme" });
    assert.deepEqual([groups.status, groups.body.issues[0].name], [400, "groupName"]);
    const long = { consumerRef: "x".repeat(256), consumerName: "Ada" };
    const consumers = await on.inProject("POST", "/consumers", long);
    assert.deepEqual([consumers.status, consumers.body.issues[0].name], [400, "consumerRef"]);
  });
});
