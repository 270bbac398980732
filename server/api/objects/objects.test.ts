/** Objects and fields through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const busbar = await shareTestBusbar();

await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });

describe("objects and fields", () => {
  const METADATA = "/providers/hubspot/objects/contacts/metadata";

  test("an object is described for a connection and for an installation", async () => {
    const connected = await busbar.inProject("GET", `${METADATA}?groupRef=acme`);
    assert.equal(connected.status, 200, connected.text);
    assert.ok(connected.body.fields.email, connected.text);
    const path = "/integrations/hubspot/objects/contacts/metadata?groupRef=acme";
    assert.deepEqual((await busbar.inProject("GET", path)).body, connected.body);
  });

  test("a custom field is created once and then left as it is", async () => {
    const plan = { fieldName: "plan", displayName: "Plan", valueType: "string" };
    const upsert = () =>
      busbar.inProject("PUT", "/providers/hubspot/object-metadata", {
        groupRef: "acme",
        fields: { contacts: [plan] },
      });
    const created = await upsert();
    assert.equal(created.status, 200, created.text);
    assert.equal(created.body.fields.contacts.plan.action, "create");
    assert.equal((await upsert()).body.fields.contacts.plan.action, "none");
  });

  test("an unknown customer, provider and object are refused and named", async () => {
    for (const [path, name] of [
      [`${METADATA}?groupRef=nobody`, "nobody"],
      ["/providers/nothing/objects/contacts/metadata?groupRef=acme", "nothing"],
      ["/providers/hubspot/objects/nonsense/metadata?groupRef=acme", "nonsense"],
    ] as const) {
      const answer = await busbar.inProject("GET", path);
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.match(answer.body.detail, new RegExp(name));
    }
  });
});
