/** What was not read because of a connection is read as soon as the customer has connected again, not at the next tick. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";

const all = await openDelivering();
after(() => all.close());

describe("after the customer has connected again", () => {
  let sql: Client;
  let acme: Customer;
  before(async () => {
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

  test("an object is read at once, too, when a key that was refused is accepted again", async () => {
    const { busbar, sink } = all;
    busbar.sandbox.hubspot.setLimits("off");
    const { name } = await drawRoute(busbar, `${sink.url}/keyed`, []);
    const sourceYaml = `specVersion: 1.0.0
integrations:
  - name: keyed
    provider: hubspot
    proxy: { enabled: true }
    read:
      objects:
        - objectName: companies
          destination: ${name}
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
`;
    const post = async (path: string, body: object) => {
      const answer = await busbar.inProject("POST", path, body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    };
    assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml })).status, 200);
    // Without a refresh token.
    const { accessToken } = busbar.sandbox.hubspot.mintToken();
    const connectionId = await post("/connections:generate", {
      provider: "hubspot",
      groupRef: "keyed",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: accessToken } },
    });
    const content = {
      provider: "hubspot",
      proxy: { enabled: true },
      read: { objects: { companies: { objectName: "companies" } } },
    };
    const installationId = await post("/integrations/keyed/installations", {
      groupRef: "keyed",
      config: { content },
    });
    const object = `read_objects where installation_id = '${installationId}'`;
    await until(async () => (await count(`select from ${object}`)) === 1);
    const call = () =>
      busbar.proxied({ integration: "keyed", groupRef: "keyed" }, "/crm/v3/objects/companies");
    const untilStatus = (status: string) =>
      until(async () => {
        await call();
        return (await busbar.inProject("GET", `/connections/${connectionId}`)).body.status === status;
      });
    const refusal = { status: "error", category: "INVALID_AUTHENTICATION", message: "refused" };
    busbar.sandbox.addFault({ provider: "hubspot", status: 401, body: refusal, count: 1e6 });
    await untilStatus("bad_credentials");
    await sql.query(`update read_objects set next_tick = now() where installation_id = '${installationId}'`);
    await until(
      async () => (await count(`select from ${object} and next_tick > now() and missed_tick`)) === 1,
    );
    busbar.sandbox.clearFaults();
    await untilStatus("working");
    await until(async () => {
      const { results } = (await busbar.inProject("GET", "/operations?type=read&groupRef=keyed")).body;
      return results[0]?.status === "success";
    });
  });
});
