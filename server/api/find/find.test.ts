/** Finding by id and name through the API. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { newId } from "../../../ground/ids.ts";

const all = await openDelivering();
after(() => all.close());

describe("find", () => {
  const find = async (q: string): Promise<{ kind: string; id: string; name: string; in?: string }[]> => {
    const { status, body, text } = await all.busbar.inProject("GET", `/find?q=${encodeURIComponent(q)}`);
    assert.equal(status, 200, text);
    return body.results;
  };

  test("a message id leads to the event and to each delivery, a name to what has it", async () => {
    const { busbar, sink } = all;
    const { id: destinationId, name, topicId } = await drawRoute(busbar, sink.url, ["connection.created"]);
    await all.happens("connection.created");
    const [{ id }] = await all.untilStatus(name, "delivered");
    assert.deepEqual((await find(id)).map((found) => [found.kind, found.id, found.in]).toSorted(), [
      ["delivery", id, destinationId],
      ["event", id, undefined],
    ]);
    assert.deepEqual(await find(name.toUpperCase()), [{ kind: "destination", id: destinationId, name }]);
    assert.equal((await find(topicId))[0]?.kind, "topic");
    const { body: keys } = await busbar.inProject("GET", "/api-keys");
    assert.deepEqual(
      (await find(keys[0].id)).map(({ kind }) => kind),
      ["apiKey"],
    );
    assert.deepEqual(await find(busbar.apiKey), []);
    assert.deepEqual(await find(newId()), []);
    assert.equal((await busbar.inProject("GET", "/find?q=")).status, 400);
  });

  test("an operation is found by its request and by the record that it wrote", async () => {
    const { busbar, database } = all;
    const [operationId, requestId] = [newId(), newId()];
    await database.pool.query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
        request_id, metadata) values ($1, $2, $1, $1, $1, 'write', 'contact', 'success', $3, $4)`,
      [operationId, busbar.projectId, requestId, { successfulRecordIds: ["crm-77"] }],
    );
    const expected = [{ kind: "operation", id: operationId, name: "write contact" }];
    for (const q of [operationId, requestId, "crm-77"]) assert.deepEqual(await find(q), expected, q);
    assert.deepEqual(await find("crm-7"), []);
  });

  test("what has the text as its whole name comes before what has it in its name, the newest first", async () => {
    const { busbar, database, sink } = all;
    const label = "crm-88";
    const { body: part } = await busbar.inProject("POST", "/api-keys", { label: `an old ${label}` });
    const { id: destinationId, topicId } = await drawRoute(busbar, sink.url, ["connection.created"]);
    await database.pool.query("update destinations set name = $2 where id = $1", [destinationId, label]);
    await database.pool.query("update topics set name = $2 where id = $1", [topicId, `${label} and more`]);
    const operationId = newId();
    await database.pool.query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
        request_id, metadata) values ($1, $2, $1, $1, $1, 'write', 'contact', 'success', $1, $3)`,
      [operationId, busbar.projectId, { successfulRecordIds: [label] }],
    );
    assert.deepEqual(
      (await find(label)).map(({ kind, id }) => [kind, id]),
      [
        ["operation", operationId],
        ["destination", destinationId],
        ["topic", topicId],
        ["apiKey", part.id],
      ],
    );
  });
});
