/** Lists below the records of other lists, through a whole Busbar: ClickUp's lists are below folders, which are below spaces. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { buildAccountValues } from "../simulations/simulated-exchange.ts";
import { startSimulation, type Simulation } from "../simulations/start-simulation.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: work
    provider: clickup
    read:
      objects:
        - objectName: lists
          destination: lists
          requiredFields:
            - fieldName: name
          backfill:
            defaultPeriod:
              fullHistory: true
    write:
      objects:
        - objectName: tasks
`;

describe("lists below the records of another object", () => {
  let busbar: TestBusbar;
  let clickup: Simulation;
  let sink: Sink;
  before(async () => {
    const description = DESCRIPTIONS["clickup"];
    assert.ok(description);
    clickup = await startSimulation(description);
    sink = await openSink();
    busbar = await openTestBusbar({ providers: { clickup: { baseURL: clickup.url } } });
    for (const name of ["Ink", "Pens", "Paper", "Orders", "Ideas"]) clickup.account.put("lists", { name });
    const to = { name: "lists", type: "webhook", metadata: { url: `${sink.url}/lists` } };
    assert.equal((await busbar.inProject("POST", "/destinations", to)).status, 201);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    const { values = {} } = buildAccountValues(description);
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider: "clickup",
      groupRef: "acme",
      consumerRef: "ada",
      providerMetadata: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { value, source: "input" }]),
      ),
      oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
    });
    assert.equal(connection.status, 201, connection.text);
    const installed = await busbar.inProject("POST", "/integrations/work/installations", {
      groupRef: "acme",
      config: {
        content: {
          provider: "clickup",
          read: { objects: { lists: { objectName: "lists" } } },
          write: { objects: { tasks: { objectName: "tasks" } } },
        },
      },
    });
    assert.equal(installed.status, 201, installed.text);
  });
  after(async () => {
    await busbar?.stop();
    await clickup?.close();
    await sink?.close();
  });

  test("are all delivered by a backfill", async () => {
    const names = (): unknown[] =>
      sink
        .messagesAt("/lists")
        .flatMap(({ body }) => JSON.parse(body).result as { fields: { name: string } }[])
        .map(({ fields }) => fields.name);
    await until(() => names().length >= 5);
    assert.deepEqual(names().toSorted(), ["Ideas", "Ink", "Orders", "Paper", "Pens"]);
    assert.ok(clickup.requests.some((request) => /^GET .*\/folder\/[^/]+\/list/.test(request)));
  });

  test("a new record names the list that it belongs to, and is refused without", async () => {
    const create = (record: object) =>
      busbar.write("work", "tasks", { groupRef: "acme", type: "create", record });
    const created = await create({ name: "Call Ada", list_id: "901" });
    assert.equal(created.status, 200, created.text);
    // Beside it, a check of the connection and a scheduled read may ask at any moment.
    const sent = () => clickup.requests.filter((request) => request.startsWith("POST "));
    assert.equal(sent().length, 1);
    assert.match(sent()[0] ?? "", /^POST .*\/api\/v2\/list\/901\/task$/);
    const refused = await create({ name: "Call Bo" });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /list_id must have a value/);
    assert.equal(sent().length, 1);
  });
});
