/**
 * Fields that an account does not have, or no more, where the provider leaves unknown ones out of its answers and refuses nothing, as
 * HubSpot does: `sandbox/hubspot/reading.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";

interface Reason {
  type: string;
  name: string;
  detail: string;
}

const all = await openDelivering({ BUSBAR_MINUTE_MS: "60000", BUSBAR_RETRY_BASE_SECONDS: "0.1" });
after(() => all.close());

describe("a field that the account does not have", () => {
  let customer: Customer;
  before(async () => {
    all.busbar.sandbox.hubspot.setLimits("off");
    const { name } = await drawRoute(all.busbar, `${all.sink.url}/hook`, []);
    const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: ${name}
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }, { mapToName: town }]
          optionalFields: [{ mapToName: job }]
        - objectName: companies
          mapToName: company
          destination: ${name}
          requiredFields: [{ fieldName: name }, { fieldName: domian }]
          backfill: { defaultPeriod: { fullHistory: true } }
`;
    const contacts = {
      objectName: "contacts",
      selectedFieldMappings: { town: "city", job: "jobtitle" },
    };
    customer = await connectCustomer(all.busbar, {
      provider: "hubspot",
      manifest,
      integration: "crm",
      skipSampling: true,
      content: { read: { objects: { contacts, companies: { objectName: "companies" } } } },
    });
  });

  const get = async (path: string) => (await all.busbar.inProject("GET", path)).body;
  const reasons = async (): Promise<Reason[]> =>
    (await get(`/integrations/crm/installations/${customer.installationId}`)).healthReasons;
  const reason = (name: string) =>
    until(async () => (await reasons()).find((one) => one.type === "field" && one.name === name));
  const isWell = (name: string) => until(async () => (await reasons()).every((one) => one.name !== name));
  const hide = (field: string, isHidden: boolean) =>
    all.busbar.sandbox.hubspot.account.hideField("contacts", field, isHidden);

  /** Reads as at a tick, or by request; returns the ended operation. */
  async function read(how: "by schedule" | { sinceTimestamp: string }) {
    const operations = `/integrations/crm/installations/${customer.installationId}/operations`;
    const [last] = (await get(operations)).results;
    if (how === "by schedule")
      await all.database.pool.query(
        "update read_objects set next_tick = now() where object_name = 'contacts'",
      );
    else {
      const asked = { groupRef: customer.groupRef, mode: "async", ...how };
      const path = "/read/v1/projects/default/integrations/crm/objects/contacts";
      assert.equal((await all.busbar.call("POST", path, asked)).status, 201);
    }
    return until(async () => {
      const [newest] = (await get(operations)).results;
      return newest.id !== last.id && newest.status !== "in_progress" && newest;
    });
  }
  const change = (city: string) =>
    all.busbar.sandbox.hubspot.account.put("contacts", { id: "501", values: { city }, stamp: true });
  const ALL = { sinceTimestamp: "2000-01-01T00:00:00Z" };

  test("and the manifest requires ends the read, with the nearest name, and the installation says so", async () => {
    const { detail } = await reason("domian");
    assert.match(detail, /no field `domian` of .*, which the manifest requires\. Did you mean "domain"\?/);
    const { results } = await get(`/integrations/crm/installations/${customer.installationId}/operations`);
    const { status, result } = results.find(
      (one: { metadata: { objects: string[] } }) => one.metadata.objects[0] === "company",
    );
    assert.deepEqual([status, /`domian`/.test(result)], ["failure", true], result);
    assert.deepEqual(all.sink.at("/hook"), []);
  });

  for (const [what, field] of [
    ["by the provider's name", "email"],
    ["under a name that the customer maps", "city"],
  ] as const) {
    test(`any more, and the manifest requires ${what}, ends the reads until it is back`, async () => {
      hide(field, true);
      change(`Paris ${field}`);
      const { status, result } = await read("by schedule");
      assert.deepEqual([status, result.includes(`\`${field}\``)], ["failure", true], result);
      await reason(field);
      const triggered = await read(ALL);
      assert.equal(triggered.status, "failure", triggered.result);
      hide(field, false);
      const again = await read("by schedule");
      assert.match(again.result, /1 record read/, "the cursor had not moved");
      await isWell(field);
    });
  }

  test("fails a read by request, too, whose next success heals the installation", async () => {
    hide("email", true);
    assert.equal((await read(ALL)).status, "failure");
    await reason("email");
    // Nothing was changed: that brings no field back.
    assert.equal((await read({ sinceTimestamp: new Date().toISOString() })).status, "failure");
    await reason("email");
    hide("email", false);
    assert.equal((await read(ALL)).status, "success");
    await isWell("email");
  });

  test("any more and nobody requires is left out, which the installation says, until it is back", async () => {
    hide("jobtitle", true);
    change("Rome");
    assert.equal((await read("by schedule")).status, "success");
    assert.match((await reason("jobtitle")).detail, /no such field of contacts, .* It is left out/);
    const nothing = () => read({ sinceTimestamp: new Date().toISOString() });
    assert.match((await nothing()).result, /No new data/);
    await reason("jobtitle");
    hide("jobtitle", false);
    assert.match((await nothing()).result, /No new data/);
    await isWell("jobtitle");
  });
});
