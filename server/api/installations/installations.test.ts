/** Installations through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const CRM = { provider: "hubspot" as const, objects: ["contacts"] };

const busbar = await shareTestBusbar();

const customer = await connectCustomer(busbar, CRM);

describe("installations", () => {
  const PATH = "/integrations/hubspot/installations";
  const create = (body: object) => busbar.inProject("POST", PATH, { config: { content: {} }, ...body });

  test("an installation is shown, and listed by group, integration and project", async () => {
    const shown = await busbar.inProject("GET", `${PATH}/${customer.installationId}`);
    assert.equal(shown.status, 200, shown.text);
    assert.equal(shown.body.group.groupRef, "acme");
    assert.equal(shown.body.connection.id, customer.connectionId);
    const { body: ofGroup } = await busbar.inProject("GET", `${PATH}?groupRef=acme`);
    assert.deepEqual(ofGroup, [shown.body]);
    assert.deepEqual((await busbar.inProject("GET", "/installations?groupRef=acme")).body, ofGroup);
    assert.deepEqual((await busbar.inProject("GET", "/installations?groupRef=other")).body, []);
  });

  test("a group has one installation per integration", async () => {
    const again = await create({ groupRef: "acme" });
    assert.equal(again.status, 409, again.text);
    assert.match(again.body.detail, /installation [0-9a-f-]{36}\. Update/);
    assert.match(again.body.detail, /acme/);
  });

  test("a group without a connection is refused, and the connection of another group", async () => {
    assert.equal((await create({ groupRef: "nobody" })).status, 422);
    const foreign = await create({ groupRef: "nobody", connectionId: customer.connectionId });
    assert.equal(foreign.status, 422, foreign.text);
    assert.equal(foreign.body.issues[0].name, "connectionId");
  });

  test("unknown integrations and installations are refused with 404", async () => {
    const unknown = "01a1fecd-d759-75de-a63c-a80eaf0833b4";
    assert.equal((await busbar.inProject("GET", `/integrations/nothing/installations`)).status, 404);
    assert.equal((await busbar.inProject("GET", `${PATH}/${unknown}`)).status, 404);
    assert.equal((await busbar.inProject("DELETE", `${PATH}/${unknown}`)).status, 404);
  });

  test("deleting an installation deletes its connection if nothing else uses it", async () => {
    const { installationId, connectionId } = await connectCustomer(busbar, { ...CRM, groupRef: "globex" });
    assert.equal((await busbar.inProject("DELETE", `${PATH}/${installationId}`)).status, 204);
    assert.equal((await busbar.inProject("GET", `${PATH}/${installationId}`)).status, 404);
    assert.equal((await busbar.inProject("GET", `/connections/${connectionId}`)).status, 404);
  });
});
