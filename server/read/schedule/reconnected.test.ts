/** What was not read because of a connection is read as soon as the customer has connected again, not at the next tick. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering, type Delivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";

describe("after the customer has connected again", () => {
  let all: Delivering;
  let sql: Client;
  let acme: Customer;
  before(async () => {
    all = await openDelivering();
    all.busbar.sandbox.salesforce.setLimits("off");
    sql = new Client({ connectionString: all.busbar.dataUrl ?? all.busbar.connectionString });
    await sql.connect();
    const { name } = await drawRoute(all.busbar, `${all.sink.url}/records`, []);
    const manifest = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    proxy: { enabled: true }
    read:
      objects:
        - objectName: account
          destination: ${name}
          # The next tick is too far away for this test.
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
`;
    const content = { proxy: { enabled: true }, read: { objects: { account: { objectName: "account" } } } };
    acme = await connectCustomer(all.busbar, {
      provider: "salesforce",
      manifest,
      integration: "crm",
      content,
    });
    await until(async () => (await count("select from read_objects")) === 1);
  });
  after(async () => {
    await sql.end();
    await all.close();
  });

  const count = async (statement: string) => (await sql.query(statement)).rowCount;
  const tick = () => sql.query("update read_objects set next_tick = now()");
  const untilTicked = () =>
    until(async () => (await count("select from read_objects where next_tick > now()")) === 1);
  const reads = async (status: string): Promise<number> =>
    (await all.busbar.inProject("GET", `/operations?type=read&status=${status}`)).body.results.length;
  const statusOfConnection = async () =>
    (await all.busbar.inProject("GET", `/connections/${acme.connectionId}`)).body.status;
  async function connectAgain() {
    const { accessToken, refreshToken } = all.busbar.sandbox.salesforce.mintToken();
    const answer = await all.busbar.inProject("POST", "/connections:generate", {
      provider: "salesforce",
      groupRef: acme.groupRef,
      consumerRef: "ada",
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: {
        accessToken: { token: accessToken },
        refreshToken: { token: refreshToken },
      },
    });
    assert.equal(answer.body.id, acme.connectionId, answer.text);
  }

  test("an object whose read failed is read at once", async () => {
    all.busbar.sandbox.salesforce.revokeTokens();
    await tick();
    await until(async () => (await reads("failure")) === 1);
    await untilTicked();
    await until(async () => (await statusOfConnection()) === "bad_credentials");
    await connectAgain();
    await until(async () => (await reads("success")) === 1);
  });

  test("an object whose tick came meanwhile is read at once", async () => {
    all.busbar.sandbox.salesforce.revokeTokens();
    await acme.proxied("/services/data/v60.0/limits");
    await until(async () => (await statusOfConnection()) === "bad_credentials");
    await tick();
    await untilTicked();
    assert.equal(await reads("failure"), 1);
    await connectAgain();
    await until(async () => (await reads("success")) === 2);
  });
});
