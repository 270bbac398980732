/** Lists below the records of other lists, through a whole Busbar: ClickUp's lists are below folders, which are below spaces. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { shareTestBusbar } from "../harness/busbar.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { until } from "../harness/until.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";

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

const TEAM = "333";
const NAMES = ["Ink", "Pens", "Paper", "Orders", "Ideas"];

const clickup = await openTestVendor("clickup", { connection: { teamId: TEAM } });
const sink = await openSink();
const busbar = await shareTestBusbar({ providers: { clickup: { baseURL: clickup.url } } });
after(() => clickup.close());
after(() => sink.close());

const { records } = clickup.vendor;
const space = records.put("spaces");
const folders = [1, 2].map(() => records.put("folders", { parent: space.id }));
for (const [index, name] of NAMES.entries())
  records.put("lists", { fields: { name }, parent: folders[index % 2]?.id ?? "" });
await addWebhook(busbar, "lists", `${sink.url}/lists`);
const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
assert.equal(deployed.status, 200, deployed.text);
const connection = await busbar.inProject("POST", "/connections:generate", {
  provider: "clickup",
  groupRef: "acme",
  consumerRef: "ada",
  providerMetadata: { teamId: { value: TEAM, source: "input" } },
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

describe("lists below the records of another object", () => {
  test("are all delivered by a backfill", async () => {
    const names = (): unknown[] =>
      sink
        .messagesAt("/lists")
        .flatMap(({ body }) => JSON.parse(body).result as { fields: { name: string } }[])
        .map(({ fields }) => fields.name);
    await until(() => names().length >= NAMES.length);
    assert.deepEqual(names().toSorted(), NAMES.toSorted());
  });

  test("a new record names the list that it belongs to, and is refused without", async () => {
    const create = (record: object) =>
      busbar.write("work", "tasks", { groupRef: "acme", type: "create", record });
    const created = await create({ name: "Call Ada", list_id: "901" });
    assert.equal(created.status, 200, created.text);
    // Beside it, a check of the connection and a scheduled read may ask at any moment.
    const sent = () => clickup.vendor.seen.filter(({ method }) => method === "POST");
    assert.deepEqual(
      sent().map(({ target }) => target),
      ["/api/v2/list/901/task"],
    );
    const refused = await create({ name: "Call Bo" });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /list_id must have a value/);
    assert.equal(sent().length, 1);
  });
});
