/** A customer whose changes do not arrive is unhealthy: the stream is broken, or the subscription cannot be set up. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { until } from "../../tests/harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    read:
      objects:
        - { objectName: account, destination: changes, requiredFields: [{ fieldName: name }] }
    subscribe:
      objects:
        - objectName: account
          destination: changes
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: all }
`;

async function openSubscribing(t: TestContext) {
  const busbar = await startTestBusbar(t, { env: { BUSBAR_RETRY_BASE_SECONDS: "0.1" } });
  await addWebhook(busbar, "changes", "http://127.0.0.1:9/changes");
  const connect = async () => {
    const wanted = { provider: "salesforce", manifest: MANIFEST, integration: "crm" } as const;
    const { installationId, groupRef } = await connectCustomer(busbar, wanted);
    const path = `/integrations/crm/installations/${installationId}`;
    const get = async (below = "") => (await busbar.inProject("GET", path + below)).body;
    const state = async () => (await get("/subscriptions"))[0]?.state;
    const firstReason = () => until(async () => (await get()).healthReasons[0] as Reason | undefined);
    return { groupRef, get, state, firstReason };
  };
  return { busbar, connect };
}

interface Reason {
  type: string;
  name: string;
  detail: string;
}

test("a stream that cannot be opened again makes the customer unhealthy until it is open", async (t) => {
  const { busbar, connect } = await openSubscribing(t);
  const { groupRef, get, state, firstReason } = await connect();
  const { server } = busbar.sandbox.salesforce;
  await until(async () => (await state()) === "active" && server.open === 1);
  assert.deepEqual((await get()).healthReasons, []);
  server.refuse("Subscribe", "service.unavailable", 100_000);
  server.break("disconnect");
  const { type, name, detail } = await firstReason();
  assert.deepEqual([type, name], ["subscription", "account"]);
  assert.match(detail, /unavailable/i);
  const [group] = (await busbar.inProject("GET", "/groups?healthStatus=unhealthy")).body.results;
  assert.equal(group?.groupRef, groupRef);
  assert.match(JSON.stringify((await get("/records/account/unseen")).causes), /subscription `account`/);
  assert.equal(await state(), "degraded");
  server.refuse("Subscribe", "service.unavailable", 0);
  await until(async () => (await get()).healthStatus === "healthy");
});

test("a subscription that cannot be set up while the provider is down makes the customer unhealthy", async (t) => {
  const { busbar, connect } = await openSubscribing(t);
  busbar.sandbox.addFault({
    provider: "salesforce",
    path: "/PlatformEventChannel",
    status: 503,
    count: 100_000,
  });
  const { get, state, firstReason } = await connect();
  const { type, detail } = await firstReason();
  assert.equal(type, "subscription");
  assert.match(detail, /503/);
  assert.equal(await state(), "pending");
  busbar.sandbox.clearFaults();
  await until(async () => (await get()).healthStatus === "healthy");
});
