/** What the trace of a record says of objects whose reads have begun and wait, or that left the manifest. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectBoth } from "../../../tests/harness/two-databases.ts";
import type { Answer } from "../../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

const writeManifest = (objects: Record<string, string>): string => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:${Object.entries(objects)
        .map(
          ([objectName, mapToName]) => `
        - objectName: ${objectName}
          mapToName: ${mapToName}
          destination: copy
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: createdate }]
          backfill: { defaultPeriod: { fullHistory: true } }`,
        )
        .join("")}
`;

const sink = await openSink();
// A tick each five seconds.
const busbar = await shareTestBusbar({ env: { BUSBAR_MINUTE_MS: "500" } });
after(() => sink.close());

describe("what keeps records of an object away", () => {
  let customer: Customer;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    await addWebhook(busbar, "copy", `${sink.url}/copy`);
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "globex",
      manifest: writeManifest({ contacts: "person", companies: "firm" }),
      integration: "crm",
      content: { read: { objects: { contacts: {}, companies: {} } } },
    });
  });

  const place = (): string => `/integrations/crm/installations/${customer.installationId}`;
  const ask = (object: string, recordId: string): Promise<Answer> =>
    busbar.inProject("GET", `${place()}/records/${object}/${recordId}`);

  test("an object that a deployment took out of the manifest, and that is read on, can be traced by either name", async () => {
    await until(async () => (await ask("companies", "601")).body.seen?.[0]?.outcome === "delivered");
    const manifest = writeManifest({ contacts: "person" });
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
    assert.equal(deployed.status, 200, deployed.text);
    for (const name of ["companies", "firm"]) {
      const { status, body, text } = await ask(name, "601");
      assert.equal(status, 200, text);
      assert.equal(body.object, "companies");
      assert.ok(body.seen.some(({ outcome }: Answer["body"]) => outcome === "delivered"));
    }
    assert.match((await ask("frims", "601")).body.detail, /no object `frims`/);
  });

  test("a read that waits for the account's rate limit is told, and no read that is due; after minutes by the health, too", async () => {
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/objects/companies",
      status: 429,
      headers: { "retry-after": "120" },
      body: { status: "error", message: "daily limit", errorType: "RATE_LIMIT", policyName: "DAILY" },
    });
    const findWait = async () =>
      (await ask("contacts", "999999")).body.causes.find((cause: string) =>
        /^A read waits .*rate limit/.test(cause),
      );
    const wait = await until(findWait);
    const { causes } = (await ask("contacts", "999999")).body;
    assert.ok(!causes.some((cause: string) => cause.includes("the next read is due")), causes.join("\n"));
    const [, operationId] = /operation ([0-9a-f-]{36})/.exec(wait) ?? [];
    const { body: operation } = await busbar.inProject("GET", `/operations/${operationId}`);
    assert.deepEqual([operation.status, operation.metadata.read.waitsFor], ["in_progress", "rate_limit"]);

    const reasons = async () =>
      (await busbar.inProject("GET", place())).body.healthReasons.filter(
        ({ name }: Answer["body"]) => name === "person",
      );
    assert.deepEqual(await reasons(), []);
    const client = await connectBoth(busbar);
    const since = new Date(Date.now() - 6 * 60_000).toISOString();
    await client.query(
      "update operations set metadata = jsonb_set(metadata, '{read,waitingSince}', to_jsonb($2::text)) where id = $1",
      [operationId, since],
    );
    await client.end();
    const [reason] = await reasons();
    assert.deepEqual([reason.type, reason.since], ["read", since]);
    assert.match(reason.detail, /^No page was read since then\. Waiting until .*rate limit/);
    await until(async () => {
      const query = `type=installation.health.changed&installationId=${customer.installationId}&pageSize=1`;
      const [newest] = (await busbar.inProject("GET", `/events?${query}`)).body.results;
      const event = newest && (await busbar.inProject("GET", `/events/${newest.id}`)).body;
      return event?.data.healthReasons.some(({ name }: Answer["body"]) => name === "person");
    });
  });

  test("a rate limit that a write has met is told with the next read, which comes later", async () => {
    const manifest = `${writeManifest({ contacts: "person" })
      .replace("name: crm", "name: rare")
      .replace("*/10 * * * *", "0 0 * * *")}    write:
      objects:
        - objectName: contacts
`;
    const rare = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "initech",
      manifest,
      integration: "rare",
      content: { read: { objects: { contacts: {} } }, write: { objects: { contacts: {} } } },
    });
    const explain = async (): Promise<string[]> => {
      const path = `/integrations/rare/installations/${rare.installationId}/records/contacts/999999`;
      return (await busbar.inProject("GET", path)).body.causes ?? [];
    };
    await until(async () => {
      const causes = (await explain()).join("\n");
      return causes.includes("the next read is due") && !causes.includes("The backfill has not ended");
    });
    busbar.sandbox.addFault({
      provider: "hubspot",
      method: "POST",
      path: "/objects/contacts",
      status: 429,
      // Beyond the next tick: a day has 720 s here.
      headers: { "retry-after": "3600" },
      body: { status: "error", message: "daily limit", errorType: "RATE_LIMIT", policyName: "DAILY" },
    });
    await rare.write("contacts", { type: "create", record: { email: "ada@initech.example" } });
    const cause = await until(async () => (await explain()).find((one) => /rate limit/.test(one)));
    const [, time = ""] = /nothing is read before (\S+Z)\. It goes on by itself/.exec(cause) ?? [];
    assert.ok(Date.parse(time) > Date.now() + 3_500_000, cause);
    assert.ok(!(await explain()).some((one) => /the next read is due/.test(one)));
  });
});
