/** Everything broken once: for each fault, what the installation, lists, groups and integrations say, and that it heals. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { accept } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

interface Reason {
  type: string;
  name: string;
  detail: string;
  since: string;
}

const writeManifest = (destination: string): string => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    read:
      objects:
        - objectName: account
          destination: ${destination}
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: name }]
          optionalFields: [{ fieldName: phone }]
`;

const all = await openDelivering({
  BUSBAR_MINUTE_MS: "6000",
  BUSBAR_RETRY_BASE_SECONDS: "0.1",
  BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "600",
  // A reason is reported when it has stood for a twelfth of a minute.
  BUSBAR_WEBHOOK_RETRY_SECONDS: Array.from({ length: 30 }, () => "1").join(),
});
after(() => all.close());
// A test that fails leaves nothing behind for the next.
afterEach(() => all.busbar.sandbox.clearFaults());

describe("the health of an installation", () => {
  let customer: Customer;
  let destination: { id: string; name: string };
  before(async () => {
    all.busbar.sandbox.salesforce.setLimits("off");
    destination = await drawRoute(all.busbar, `${all.sink.url}/hook`, []);
    const content = {
      read: { objects: { account: { objectName: "account", selectedFields: { phone: true } } } },
    };
    customer = await connectCustomer(all.busbar, {
      provider: "salesforce",
      manifest: writeManifest(destination.name),
      integration: "crm",
      content,
    });
    await until(async () => (await reasons()).length === 0);
  });

  const place = () => `/integrations/crm/installations/${customer.installationId}`;
  const get = async (path: string) => (await all.busbar.inProject("GET", path)).body;

  /** Returns the reasons of the installation; lists, its group and its integration must report the same. */
  async function reasons(): Promise<Reason[]> {
    const { healthStatus, healthReasons } = await get(place());
    assert.equal(healthStatus, healthReasons.length > 0 ? "unhealthy" : "healthy");
    return healthReasons;
  }

  async function awaitReason(type: string, name: string, detail: RegExp): Promise<Reason> {
    const found = await until(async () =>
      (await reasons()).find((one) => one.type === type && one.name === name && detail.test(one.detail)),
    );
    assert.ok(Date.parse(found.since) <= Date.now() + 1_000, found.since);
    const [group] = (await get("/groups?healthStatus=unhealthy")).results;
    assert.equal(group?.groupRef, customer.groupRef);
    assert.ok(group.healthReasons.some((one: Reason) => one.type === type && one.name === name));
    assert.deepEqual((await get("/installations:search?healthStatus=healthy")).results, []);
    const [listed] = (await get("/installations:search?healthStatus=unhealthy")).results;
    assert.ok(listed.healthReasons.some((one: Reason) => one.type === type && one.name === name));
    await awaitEvent(({ healthReasons }) =>
      healthReasons.some((one) => one.type === type && one.name === name && detail.test(one.detail)),
    );
    return found;
  }

  /** Waits until the newest event about the health of the installation fits. */
  const awaitEvent = (fits: (data: { healthStatus: string; healthReasons: Reason[] }) => boolean) =>
    until(async () => {
      const [newest] = (
        await get(
          `/events?type=installation.health.changed&installationId=${customer.installationId}&pageSize=1`,
        )
      ).results;
      return newest !== undefined && fits((await get(`/events/${newest.id}`)).data);
    });

  /** Waits until the installation is healthy and every read has ended: the end of one more would change what the next test sees. */
  async function heals(): Promise<void> {
    await until(async () => (await reasons()).length === 0);
    await until(async () =>
      (await get("/operations?type=read")).results.every(
        ({ status }: { status: string }) => status === "success" || status === "failure",
      ),
    );
    await awaitEvent(
      ({ healthStatus, healthReasons }) => healthStatus === "healthy" && healthReasons.length === 0,
    );
  }

  const trigger = () =>
    all.busbar.call("POST", "/read/v1/projects/default/integrations/crm/objects/account", {
      groupRef: customer.groupRef,
      mode: "async",
      sinceTimestamp: "2000-01-01T00:00:00Z",
    });

  /** Lets Salesforce refuse every query until the faults are cleared. */
  const refuseQueries = (status: number, errorCode: string, message: string) =>
    all.busbar.sandbox.addFault({
      provider: "salesforce",
      path: "/query",
      status,
      body: [{ errorCode, message }],
      count: 1_000,
    });

  test("names a receiver that is dead, since the first failed attempt, until it takes a message", async () => {
    all.sink.answer = (_received, response) => void response.writeHead(500).end();
    await trigger();
    await awaitReason("destination", destination.name, /failing/);
    all.sink.answer = accept;
    await heals();
  });

  test("names a destination that is disabled, or missing", async () => {
    const path = `/destinations/${destination.id}`;
    await all.database.pool.query(
      "update destinations set disabled_time = now(), disabled_reason = 'given up' where id = $1",
      [destination.id],
    );
    await awaitReason("destination", destination.name, /disabled: given up/);
    const { causes } = await get(`${place()}/records/account/unknown`);
    assert.match(causes.join("\n"), /disabled: given up[^]*no read begins before the above is mended/);
    await all.database.pool.query(
      "update destinations set disabled_time = null, disabled_reason = null, name = 'elsewhere' where id = $1",
      [destination.id],
    );
    await awaitReason("destination", destination.name, /no destination of this name/);
    await all.database.pool.query("update destinations set name = $2 where id = $1", [
      destination.id,
      destination.name,
    ]);
    assert.equal((await get(path)).name, destination.name);
    await heals();
  });

  test("names a destination that a deployment made missing, since that deployment", async () => {
    const deploy = async (name: string, displayName = "CRM"): Promise<string> => {
      const sourceYaml = writeManifest(name).replace(
        "name: crm\n",
        `name: crm\n    displayName: ${displayName}\n`,
      );
      const deployed = await all.busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
      assert.equal(deployed.status, 200, deployed.text);
      return (await get("/integrations/crm")).latestRevision.createTime;
    };
    const deployTime = await deploy("nowhere");
    const find = () => awaitReason("destination", "nowhere", /no destination of this name/);
    assert.equal((await find()).since, deployTime);
    assert.notEqual(await deploy("nowhere", "A new name"), deployTime);
    assert.equal((await find()).since, deployTime);
    await deploy(destination.name);
    await heals();
    // Named again: the time before it was mended does not count.
    const again = await deploy("nowhere");
    assert.equal((await find()).since, again);
    await deploy(destination.name);
    await heals();
  });

  test("names a destination of watched schemas that is missing, until it is there", async () => {
    const deploy = async (manifest: string): Promise<string> => {
      const deployed = await all.busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
      assert.equal(deployed.status, 200, deployed.text);
      return (await get("/integrations/crm")).latestRevision.createTime;
    };
    const manifest = writeManifest(destination.name);
    const watched = `${manifest}    watchSchema: { destination: nowhere, allObjects: { fieldCreated: { enabled: always } } }\n`;
    const find = () => awaitReason("destination", "nowhere", /no destination of this name/);
    const deployTime = await deploy(watched);
    assert.equal((await find()).since, deployTime);
    // Another deployment that names it is none that made it missing.
    assert.notEqual(
      await deploy(watched.replace("name: crm\n", "name: crm\n    displayName: CRM\n")),
      deployTime,
    );
    assert.equal((await find()).since, deployTime);
    await deploy(manifest);
    await heals();
    const again = await deploy(watched);
    assert.equal((await find()).since, again);
    await deploy(manifest);
    await heals();
  });

  test("names a provider that is down while it is read, before anybody gives up", async () => {
    all.busbar.sandbox.addFault({
      provider: "salesforce",
      path: "/query",
      status: 503,
      body: "",
      count: 1_000,
    });
    await trigger();
    // The event is recorded once, at the first attempt that fails or a later one.
    const { detail } = await awaitReason("read", "account", /no page at the last (attempt|\d+ attempts)/);
    assert.match(detail, /Waiting until \d{4}-[^:]+:\d\d:\S+ .*503/);
    const operationId = /operation (\S+) says/.exec(detail)?.[1];
    assert.equal((await get(`/operations/${operationId}`)).status, "in_progress");
    // Nothing is paused.
    const { causes } = await get(`${place()}/records/account/unknown`);
    assert.match(causes.join("\n"), /answered 503[^]* Look at the log/);
    assert.doesNotMatch(causes.join("\n"), /unpause/);
    all.busbar.sandbox.clearFaults();
    await heals();
  });

  test("names an optional field that the provider refuses, until it knows it again", async () => {
    const refusal = [{ errorCode: "INVALID_FIELD", message: "No such column 'Phone' on entity 'Account'." }];
    all.busbar.sandbox.addFault({
      provider: "salesforce",
      path: "[Pp]hone",
      status: 400,
      body: refusal,
      count: 1_000,
    });
    await trigger();
    await awaitReason("field", "phone", /no such field of account, or refuses it/);
    all.busbar.sandbox.clearFaults();
    await trigger();
    await heals();
  });

  test("names an object whose scheduled reads fail for good, with the provider's words", async () => {
    refuseQueries(400, "MALFORMED_QUERY", "unexpected token: 'FROM'");
    await all.database.pool.query("update read_objects set next_tick = now()");
    await awaitReason("read", "account", /unexpected token: 'FROM'/);
    all.busbar.sandbox.clearFaults();
    await all.database.pool.query("update read_objects set next_tick = now()");
    await heals();
  });

  test("names an object whose requested read failed for good, until one succeeds; nothing else reads it", async () => {
    await all.database.pool.query("update read_objects set next_tick = null");
    refuseQueries(403, "INSUFFICIENT_ACCESS", "You do not have access to Account");
    await trigger();
    await awaitReason("read", "account", /You do not have access to Account/);
    const { causes } = await get(`${place()}/records/account/unknown`);
    assert.match(causes.join("\n"), /You do not have access to Account/);
    all.busbar.sandbox.clearFaults();
    await trigger();
    await heals();
  });

  test("names an object that is paused after failures since the first of them, and what makes it go on", async () => {
    const pause = { by: "auto", error: "No such field", time: new Date().toISOString() };
    await all.database.pool.query("update read_objects set pause = $1, failing_since = $2", [
      JSON.stringify(pause),
      new Date(Date.now() - 3_600_000),
    ]);
    const { since } = await awaitReason("read", "account", /No such field/);
    assert.ok(Date.parse(since) < Date.now() - 3_500_000, since);
    const { causes } = await get(`${place()}/records/account/unknown`);
    assert.match(causes.join("\n"), /no read is planned while it is paused\. Go on with `:unpause`/);
    await all.database.pool.query("update read_objects set pause = null, failing_since = null");
    await heals();
  });

  test("names an object that the account no longer has, until it is read again", async () => {
    // A query is refused with 400, a path with 404.
    for (const [status, code, message] of [
      [404, "NOT_FOUND", "The requested resource does not exist"],
      [
        400,
        "INVALID_TYPE",
        "\nSELECT Id FROM Account\n               ^\nERROR at Row:1:Column:16\nsObject type 'Account' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name.",
      ],
    ] as const) {
      refuseQueries(status, code, message);
      await trigger();
      await awaitReason(
        "object",
        "account",
        /The requested resource does not exist|sObject type 'Account' is not supported/,
      );
      all.busbar.sandbox.clearFaults();
      await trigger();
      await heals();
    }
  });

  test("names credentials that the provider refuses, until the customer connects again", async () => {
    all.busbar.sandbox.salesforce.expireTokens();
    all.busbar.sandbox.addFault({
      provider: "salesforce",
      path: "/token",
      status: 400,
      body: { error: "invalid_grant" },
    });
    await trigger();
    await awaitReason("connection", "salesforce", /has to connect again/);
    const groups = (await get("/groups?healthStatus=unhealthy")).results;
    assert.equal(groups[0].healthReasons.filter(({ type }: Reason) => type === "connection").length, 1);
  });
});
