/** An approved act is carried out once, also if the database does not confirm that it was marked as sent. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openAgent, type AgentClient } from "../harness/agent-client.ts";
import { startLossyDatabase, type LossyDatabase } from "../harness/lossy-database.ts";
import { openScene, type Scene } from "./agent-scene.ts";

describe("an approved act whose beginning the database does not confirm", () => {
  let scene: Scene;
  let agent: AgentClient;
  let lossy: LossyDatabase;
  before(async () => {
    scene = await openScene();
    lossy = await startLossyDatabase(scene.busbar.connectionString);
    await scene.busbar.restart({ DATABASE_URL: lossy.connectionString });
    agent = await openAgent(scene.busbar, { credential: scene.credential });
    await scene.setPolicy({
      default: { write: "ask", callApiWrite: "ask" },
      budgets: { writesPerHour: 1 },
    });
  });
  after(async () => {
    await agent?.close();
    await scene.busbar.stop();
    lossy.close();
  });

  test("is sent once, and counts once", async () => {
    const { busbar, create, decide, ended } = scene;
    const id = await create("unconfirmed@example.com");
    const record = { givenName: "Unconfirmed" };
    const asked = await agent.call("update_record", { object: "person", id, record });
    const { approvalId } = asked.content.approval;
    lossy.loseAnswer("commit", 'set "sent"');
    assert.equal((await decide(approvalId)).status, 200);
    const { status, reason, operationId } = await ended(approvalId);
    assert.equal(lossy.lost, 1);
    assert.equal(status, "executed", reason);
    const operation = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    assert.equal(operation.status, "success", JSON.stringify(operation));
    const sent = busbar.sandbox
      .requests({ provider: "hubspot" })
      .filter(({ method, ...one }) => method === "PATCH" && JSON.stringify(one).includes("Unconfirmed"));
    assert.equal(sent.length, 1);
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    const { rows } = await client.query("select id from agent_acts");
    await client.end();
    assert.deepEqual(rows, [{ id: operationId }]);
    const undone = await agent.call("undo_operation", { operationId, dryRun: true });
    assert.deepEqual(undone.content.preview.fields, { givenName: "Ada" });
  });
});
