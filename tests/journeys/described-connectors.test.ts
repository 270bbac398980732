/** A connector that is only described writes and reads through a whole Busbar, against the simulation of its provider. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { startSimulation, type Simulation } from "../../simulations/start-simulation.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: sales
    provider: pipedrive
    read:
      objects:
        - objectName: persons
          mapToName: person
          destination: people
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: name
              mapToName: fullName
          optionalFieldsAuto: all
          backfill:
            defaultPeriod:
              fullHistory: true
    write:
      objects:
        - objectName: persons
          inheritMapping: true
`;

describe("a described connector", () => {
  let on: TestBusbar;
  let simulation: Simulation;
  let sink: Sink;
  before(async () => {
    sink = await openSink();
    const description = DESCRIPTIONS["pipedrive"];
    assert.ok(description);
    simulation = await startSimulation(description);
    on = await openTestBusbar({
      env: { BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.05" },
      providers: { pipedrive: { baseURL: simulation.url } },
    });
    for (const name of ["Ada", "Grace", "Edsger", "Barbara", "Tony"])
      simulation.account.put("persons", { name });
    const to = { name: "people", type: "webhook", metadata: { url: `${sink.url}/people` } };
    assert.equal((await on.inProject("POST", "/destinations", to)).status, 201);
    const deployed = await on.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    assert.doesNotMatch(deployed.text, /not-built-yet/);
    const connection = await on.inProject("POST", "/connections:generate", {
      provider: "pipedrive",
      groupRef: "acme",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
    });
    assert.equal(connection.status, 201, connection.text);
    const installed = await on.inProject("POST", "/integrations/sales/installations", {
      groupRef: "acme",
      config: {
        content: {
          provider: "pipedrive",
          read: { objects: { persons: { objectName: "persons" } } },
          write: { objects: { persons: { objectName: "persons", deletionSettings: { enabled: true } } } },
        },
      },
    });
    assert.equal(installed.status, 201, installed.text);
  });
  after(async () => {
    await on?.stop();
    await simulation?.close();
    await sink?.close();
  });

  const arrived = (): { id?: string; mappedFields: Record<string, unknown> }[] =>
    sink.at("/people").flatMap(({ body }) => JSON.parse(body).result);

  test("its backfill delivers every record, over several pages", async () => {
    const names = () =>
      [...new Set(arrived().map(({ mappedFields }) => mappedFields["fullName"]))].toSorted();
    await until(() => names().length >= 5);
    assert.deepEqual(names(), ["Ada", "Barbara", "Edsger", "Grace", "Tony"]);
  });

  test("a change at the provider arrives by the schedule", async () => {
    simulation.account.put("persons", { name: "Ada Lovelace" }, "1001");
    await until(() => arrived().some(({ mappedFields }) => mappedFields["fullName"] === "Ada Lovelace"));
  });

  test("records are created, updated and deleted, and a refusal has the provider's reason", async () => {
    const created = await on.write("sales", "persons", {
      groupRef: "acme",
      type: "create",
      record: { fullName: "Donald" },
    });
    assert.equal(created.status, 200, created.text);
    const id = created.body.result.recordId;
    const stored = () => simulation.account.records("persons").find((record) => record.id === id)?.fields;
    assert.deepEqual(stored(), { name: "Donald" });
    const updated = await on.write("sales", "persons", {
      groupRef: "acme",
      type: "update",
      record: { id, fullName: "Don" },
    });
    assert.equal(updated.status, 200, updated.text);
    assert.deepEqual(stored(), { name: "Don" });
    simulation.nextWrite = simulation.account.refusal(422, "name is too short");
    const refused = await on.write("sales", "persons", {
      groupRef: "acme",
      type: "update",
      record: { id, fullName: "D" },
    });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /name is too short/);
    const removed = await on.write("sales", "persons", { groupRef: "acme", type: "delete", record: { id } });
    assert.equal(removed.status, 200, removed.text);
    assert.equal(stored(), undefined);
  });

  test("the provider is shown with what its description can do", async () => {
    const { body } = await on.call("GET", "/v1/providers/pipedrive");
    assert.equal(body.support.read, true);
    assert.equal(body.support.write, true);
    assert.equal(body.support.delete, true);
  });
});
