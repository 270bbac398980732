/** Acts of agents for a customer of another shard than the main one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createEmptyDatabase } from "../harness/database.ts";
import { openScene, WITH_DELETION } from "./agent-scene.ts";

test("what an agent writes, has approved and undoes for a customer is kept in the customer's shard", async (t) => {
  const last: (() => Promise<void>)[] = [];
  const a = await createEmptyDatabase({ after: (callback) => void last.push(callback) });
  const scene = await openScene({}, { isDivided: false, shards: { a } }, async (busbar) => {
    await busbar.inProject("POST", "/groups", { groupRef: "acme", groupName: "Acme" });
    const control = new Client({ connectionString: busbar.connectionString });
    await control.connect();
    await control.query("update groups set shard = 'a' where group_ref = 'acme'");
    await control.end();
  });
  const { busbar, setPolicy, succeed, ask, decide, ended } = scene;
  t.after(async () => {
    await busbar.stop();
    for (const callback of last) await callback();
  });
  await setPolicy({ default: { write: "allow" } });
  const made = await succeed("create_record", {
    object: "person",
    record: { email: "ada@example.com", familyName: "King" },
  });
  const { operation } = await succeed("get_operation", { operationId: made.operationId });
  assert.equal(operation.status, "success");
  const { operationId } = await succeed("update_record", {
    object: "person",
    id: made.recordId,
    record: { familyName: "Lovelace" },
  });
  const undone = await succeed("undo_operation", { operationId });
  assert.equal(undone.status, "success");
  const { record } = await succeed("get_record", { object: "person", id: made.recordId });
  assert.equal(record.fields.familyName, "King");

  await setPolicy(WITH_DELETION);
  const approval = await ask("delete_record", { id: made.recordId });
  assert.equal((await decide(approval)).status, 200);
  assert.equal((await ended(approval)).status, "executed");

  const trace = await busbar.inProject(
    "GET",
    `/integrations/crm/installations/${operation.installationId}/records/person/${made.recordId}`,
  );
  assert.equal(trace.body.writes?.length, 4, trace.text);
  const counts = [];
  for (const connectionString of [busbar.connectionString, a]) {
    const client = new Client({ connectionString });
    await client.connect();
    const { rows } = await client.query(
      "select (select count(*)::integer from operations where action_type = 'write') as writes, (select count(*)::integer from agent_changes) as changes",
    );
    await client.end();
    counts.push(rows[0]);
  }
  assert.deepEqual(counts, [
    { writes: 0, changes: 0 },
    { writes: 4, changes: 3 },
  ]);
});
