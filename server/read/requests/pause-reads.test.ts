/** Pauses: what they stop, what they leave alone, and how they end. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import { updateConnection } from "../../store/connections/connections.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";

/** Credentials that have just been stored and accepted. */
const NEW = { isVerified: true, canBeTried: true };

const all = await openDelivering({ BUSBAR_MINUTE_MS: "50" });
after(() => all.close());

all.busbar.sandbox.hubspot.setLimits("off");
const hook = await drawRoute(all.busbar, `${all.sink.url}/hook`, []);
const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          enabled: always
          destination: ${hook.name}
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: email }]
        - objectName: companies
          destination: ${hook.name}
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: name }]
`;
const content = { read: { objects: { companies: { objectName: "companies" } } } };
const customer = await connectCustomer(all.busbar, {
  provider: "hubspot",
  manifest,
  integration: "crm",
  content,
});

describe("pausing reads", () => {
  const place = () => `/integrations/crm/installations/${customer.installationId}`;
  const send = (verb: "pause" | "unpause", body?: object) =>
    all.busbar.call("POST", `/read/v1/projects/default${place()}:${verb}`, body);
  const shown = async () => (await all.busbar.inProject("GET", place())).body;
  const paused = async (): Promise<string[]> =>
    (await shown()).readPauses.map(({ object }: { object: string }) => object);
  const countReads = async (objectName: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from operations where object_name = ${objectName} and action_type = 'read'
    `.execute(all.database.queries);
    return rows[0]?.count ?? 0;
  };

  test("right after the installation stops every object, always-enabled ones included, and is shown", async () => {
    const before = await shown();
    assert.equal((await send("pause", { note: "moving house" })).status, 204);
    const after = await shown();
    assert.deepEqual(
      after.readPauses.map(({ object, by, note }: Record<string, string>) => [object, by, note]),
      [
        ["companies", "api", "moving house"],
        ["person", "api", "moving house"],
      ],
    );
    assert.deepEqual([after.updateTime, after.config], [before.updateTime, before.config]);
    assert.equal(after.healthStatus, "healthy");
  });

  test("is no change when it is so already, and names count in both forms", async () => {
    assert.equal((await send("pause", { objects: ["contacts"], note: "again" })).status, 204);
    assert.equal((await shown()).readPauses[0].note, "moving house");
    assert.equal((await send("unpause", { objects: ["person"] })).status, 204);
    assert.deepEqual(await paused(), ["companies"]);
    assert.equal((await send("unpause", { objects: ["contacts"] })).status, 204);
    assert.equal((await send("pause", { objects: [] })).status, 204);
    assert.deepEqual(await paused(), ["companies"]);
  });

  test("stops the schedule of that object only; unpausing reads at once", async () => {
    const last = await countReads("companies");
    const others = await countReads("contacts");
    await until(async () => (await countReads("contacts")) >= others + 2);
    assert.ok((await countReads("companies")) <= last);
    assert.equal((await send("unpause")).status, 204);
    await until(async () => (await countReads("companies")) > last);
    assert.deepEqual(await paused(), []);
  });

  test("is refused with the place of each unknown object, and changes nothing", async () => {
    const { status, body, text } = await send("pause", { objects: ["companies", "persons", "deals"] });
    assert.equal(status, 400, text);
    assert.deepEqual(
      body.issues.map(({ name }: { name: string }) => name),
      ["objects[1]", "objects[2]"],
    );
    assert.match(body.issues[0].remedy, /Did you mean "person"\?/);
    assert.deepEqual(await paused(), []);
    for (const wrong of [{ objects: "companies" }, { object: ["companies"] }, { note: "x".repeat(1_001) }])
      assert.equal((await send("pause", wrong)).status, 400);
  });

  test("by Busbar itself makes the installation unhealthy until new credentials or unpausing", async () => {
    const { busbar, database } = all;
    const pauseByItself = () =>
      sql`update read_objects set pause = '{"by":"auto","error":"[person] gone","time":"2026-01-01T00:00:00Z"}'
        where object_name = 'contacts'`.execute(database.queries);
    await pauseByItself();
    const sick = await shown();
    assert.equal(sick.healthStatus, "unhealthy");
    assert.deepEqual(sick.readPauses[0], {
      object: "person",
      by: "auto",
      error: "[person] gone",
      time: "2026-01-01T00:00:00Z",
    });
    await send("unpause");
    assert.equal((await shown()).healthStatus, "healthy");
    await pauseByItself();
    await send("pause", { objects: ["companies"] });
    await updateConnection(database.queries, busbar.projectId, customer.connectionId, { trial: NEW });
    await until(async () => (await shown()).healthStatus === "healthy");
    assert.deepEqual(await paused(), ["companies"]);
  });

  test("leaves triggered reads alone", async () => {
    await send("pause");
    const triggered = await trigger("contacts");
    assert.equal(triggered.status, 201, triggered.text);
    await until(
      async () =>
        (await all.busbar.inProject("GET", `/operations/${triggered.body.operationId}`)).body.status ===
        "success",
    );
  });

  const trigger = (objectName: string) =>
    all.busbar.call("POST", `/read/v1/projects/default/integrations/crm/objects/${objectName}`, {
      groupRef: "acme",
      mode: "async",
    });
});
