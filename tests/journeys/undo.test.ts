/** What an agent wrote is undone where nobody has changed it since, by the same policy. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { createLog } from "../../ground/log.ts";
import { transactInTurn } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import type { ControlQueries } from "../../server/store/database/sides.ts";
import { eraseOnControl, eraseOnData } from "../../server/subscribe/process/erase-records.ts";
import { SIDE_ROLES } from "../harness/side-roles.ts";
import { openAgent } from "../harness/agent-client.ts";
import type { Answer } from "../harness/busbar.ts";
import { openScene, type Scene } from "./agent-scene.ts";

const ALLOWED = { default: { write: "allow" } };

describe("undoing", () => {
  let scene: Scene;
  after(() => scene.busbar.stop());
  before(async () => {
    scene = await openScene();
  });
  const refused = async (tool: string, args: Record<string, unknown>): Promise<Answer["body"]> => {
    const { isError, content } = await scene.agent.call(tool, args);
    assert.equal(isError, true, JSON.stringify(content));
    return content;
  };
  const update = async (id: string, record: object): Promise<string> =>
    (await scene.succeed("update_record", { object: "person", id, record })).operationId;
  const change = async (id: string, record: object): Promise<void> => {
    const sent = { groupRef: "acme", type: "update", record: { ...record, id } };
    const written = await scene.busbar.write("crm", "person", sent);
    assert.equal(written.status, 200, written.text);
  };
  const fields = async (id: string): Promise<Answer["body"]> =>
    (await scene.succeed("get_record", { object: "person", id })).record.fields;

  test("an update's fields get their values of before, but for those that somebody has changed since", async () => {
    const { setPolicy, create, succeed, busbar } = scene;
    await setPolicy(ALLOWED);
    const id = await create("undo@example.com");
    const operationId = await update(id, { familyName: "Lovelace", givenName: "Augusta" });
    await change(id, { givenName: "Byron" });
    const writes = () =>
      busbar.sandbox.requests({ provider: "hubspot" }).filter(({ method }) => method === "PATCH").length;
    const before = writes();
    const shown = await succeed("undo_operation", { operationId, dryRun: true });
    assert.deepEqual([shown.status, shown.preview.fields], ["dry_run", { familyName: "King" }]);
    assert.equal(writes(), before);
    const undone = await succeed("undo_operation", { operationId });
    assert.deepEqual(
      [undone.status, undone.withheld],
      ["success", [{ field: "givenName", reason: "It was changed since." }]],
    );
    const { familyName, givenName } = await fields(id);
    assert.deepEqual([familyName, givenName], ["King", "Byron"]);
    const again = await refused("undo_operation", { operationId });
    assert.equal(again.problem.status, 409);
    assert.match(again.problem.detail, /familyName: It has its value of before again/);
    assert.match(again.problem.detail, /givenName: It was changed since/);
    // An undo is an act like another: it can be undone, and what it undid can be done and undone again.
    await succeed("undo_operation", { operationId: undone.operationId });
    assert.equal((await fields(id)).familyName, "Lovelace");
    const { operation } = await succeed("get_operation", { operationId: undone.operationId });
    assert.equal(operation.actor.kind, "agent");
  });

  test("a field that was empty is emptied again", async () => {
    const { setPolicy, busbar, succeed } = scene;
    await setPolicy(ALLOWED);
    const record = { email: "empty@example.com", familyName: "Empty" };
    const written = await busbar.write("crm", "person", { groupRef: "acme", type: "create", record });
    const id = written.body.result.recordId;
    const operationId = await update(id, { givenName: "Filled" });
    await succeed("undo_operation", { operationId });
    assert.ok(!(await fields(id)).givenName, JSON.stringify(await fields(id)));
  });

  test("a created record is deleted only if nobody has changed it, by the policy for writes unless a rule forbids deleting", async () => {
    const { setPolicy, succeed, contacts } = scene;
    const create = async (email: string) =>
      succeed("create_record", { object: "person", record: { email, familyName: "Made" } });
    await setPolicy({ ...ALLOWED, rules: [{ tool: "delete_record", decision: "forbid" }] });
    const { operationId } = await create("made@example.com");
    assert.equal((await refused("undo_operation", { operationId })).status, "forbidden");
    assert.equal(contacts("made@example.com").length, 1);
    await setPolicy(ALLOWED);
    const other = await create("changed@example.com");
    await change(other.recordId, { familyName: "Changed" });
    const kept = await refused("undo_operation", { operationId: other.operationId });
    assert.match(kept.problem.detail, /not as it was created.*familyName: It was changed since/);
    assert.equal(contacts("changed@example.com").length, 1);
    assert.equal((await succeed("undo_operation", { operationId })).status, "success");
    assert.deepEqual(contacts("made@example.com"), []);
    assert.equal((await refused("undo_operation", { operationId })).status, "failure");
  });

  test("it goes by the policy: asks where writes are asked for, and restores no field that is hidden since", async () => {
    const { setPolicy, create, succeed, decide, ended, get, agent } = scene;
    await setPolicy(ALLOWED);
    const id = await create("policy@example.com");
    const operationId = await update(id, { familyName: "Hopper", givenName: "Grace" });
    await setPolicy({ default: { write: "forbid" } });
    assert.equal((await refused("undo_operation", { operationId })).status, "forbidden");
    await setPolicy({ hiddenFields: { person: ["familyName"] } });
    const { status, approval } = await succeed("undo_operation", { operationId });
    assert.equal(status, "approval_required");
    const { tool, after: wanted } = await get(approval.approvalId);
    assert.deepEqual([tool, wanted], ["undo_operation", { givenName: "Ada" }]);
    assert.equal((await decide(approval.approvalId)).status, 200);
    assert.equal((await ended(approval.approvalId)).status, "executed");
    await setPolicy({});
    const { familyName, givenName } = await fields(id);
    assert.deepEqual([familyName, givenName], ["Hopper", "Ada"]);
    // What was approved can be undone, too.
    const done = await get(approval.approvalId);
    const back = await agent.call("undo_operation", { operationId: done.operationId });
    assert.equal(back.content.status, "approval_required", JSON.stringify(back.content));
  });

  test("what was done under an earlier policy is reported, and not asked for again", async () => {
    const { setPolicy, succeed, busbar, contacts } = scene;
    for (const idempotencyKey of ["done-1", undefined]) {
      await setPolicy(ALLOWED);
      const email = `done-${idempotencyKey}@example.com`;
      const args = {
        object: "person",
        record: { email, familyName: "Done" },
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      };
      const first = await succeed("create_record", args);
      await setPolicy({});
      const before = (await busbar.inProject("GET", "/approvals")).body.results.length;
      const again = await succeed("create_record", args);
      assert.deepEqual(
        [again.status, again.operationId, again.repeated],
        ["success", first.operationId, true],
      );
      assert.equal((await busbar.inProject("GET", "/approvals")).body.results.length, before);
      assert.equal(contacts(email).length, 1);
      const other = { ...args, idempotencyKey: `${idempotencyKey}-other` };
      assert.equal((await succeed("create_record", other)).status, "approval_required");
    }
  });

  test("a record that was erased at the provider leaves no value in what is kept for undoing, nor in approvals and what tells of them", async () => {
    const { setPolicy, create, ask, askCreate, succeed, decide, ended, get, busbar } = scene;
    await setPolicy(ALLOWED);
    const id = await create("erased@example.com");
    const updated = await update(id, { familyName: "Secret" });
    const record = { email: "erased-too@example.com", familyName: "Secret" };
    const made = await succeed("create_record", { object: "person", record });
    await setPolicy({});
    const asked = await askCreate("erased-as-well@example.com");
    await decide(asked);
    const { operationId } = await ended(asked);
    const createdId = (await busbar.inProject("GET", `/operations/${operationId}`)).body.metadata
      .successfulRecordIds[0];
    const waiting = await ask("update_record", { id, record: { givenName: "Secret" } });
    const other = await ask("update_record", { id: made.recordId, record: { familyName: "Kept" } });
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    const { connectionString } = busbar;
    const log = createLog("silent");
    const whole = await openDatabase({ connectionString, log, poolSize: 2 });
    const divided = await openDatabase({ connectionString, log, poolSize: 2, sideRoles: SIDE_ROLES });
    const [{ id: installationId }] = (
      await client.query(
        "select installations.id from installations join groups on groups.id = group_id where group_ref = 'acme'",
      )
    ).rows;
    const broken = new Error("this process dies");
    const kept = async (approvalId: string, changed: string) => {
      const { rows } = await client.query(
        `select (select count(*)::integer from approvals where id = $1 and arguments <> '{}') as approvals,
          (select count(*)::integer from agent_changes where operation_id = $2) as changes`,
        [approvalId, changed],
      );
      return rows[0];
    };
    for (const [database, recordId, approvalId, changed, between] of [
      [whole, id, waiting, updated, { approvals: 1, changes: 1 }],
      // The approval is erased, the rest is found again by the next attempt.
      [divided, createdId, asked, operationId, { approvals: 0, changes: 1 }],
    ] as const) {
      const first = (queries: ControlQueries) =>
        eraseOnControl(database, queries, [{ installationId, recordId, except: [] }]);
      await assert.rejects(
        transactInTurn(database, first, () => Promise.reject(broken)),
        broken,
      );
      assert.deepEqual(await kept(approvalId, changed), between);
      await transactInTurn(database, first, eraseOnData);
      await database.close();
    }
    const { rows } = await client.query(
      "select operation_id from agent_changes where operation_id = any($1)",
      [[updated, made.operationId, operationId]],
    );
    assert.deepEqual(
      rows.map((row) => row.operation_id),
      [made.operationId],
    );
    // Nor in the events about them, the logs, and what is kept for their keys.
    const left = await client.query(
      `select 'event' as of, data::text from events where data->'approval'->>'id' = any($2)
       union all select 'log', log::text || coalesce(result, '') from operations where id = any($1)
       union all select 'key', body::text from idempotency_keys where operation_id = any($1)`,
      [
        [updated, operationId],
        [waiting, asked],
      ],
    );
    for (const { of, data } of left.rows)
      assert.doesNotMatch(data, /Secret|erased-as-well@|erased@/, `${of}: ${data}`);
    assert.ok(left.rows.some(({ of }) => of === "event") && left.rows.some(({ of }) => of === "key"));
    await client.end();
    for (const [approvalId, status] of [
      [waiting, "stale"],
      [asked, "executed"],
    ] as const) {
      const { arguments: sent, before, after, ...approval } = await get(approvalId);
      assert.deepEqual([sent, before, after, approval.status], [{}, undefined, undefined, status]);
    }
    assert.equal((await get(waiting)).reason, "The record was erased at the provider.");
    assert.deepEqual((await get(other)).after, { familyName: "Kept" });
  });

  test("where the policy forbids undoing, an update is one request, and cannot be undone later", async () => {
    const { setPolicy, create, busbar } = scene;
    await setPolicy({ ...ALLOWED, rules: [{ tool: "undo_operation", decision: "forbid" }] });
    const id = await create("no-undo@example.com");
    const requests = () =>
      busbar.sandbox.requests({ provider: "hubspot" }).filter((one) => `${one.path}${one.body}`.includes(id));
    const before = requests().length;
    const operationId = await update(id, { familyName: "Kept" });
    assert.equal(requests().length - before, 1);
    await setPolicy(ALLOWED);
    assert.equal((await refused("undo_operation", { operationId })).problem.status, 404);
  });

  test("an operation of another customer, or one that no agent began, is not undone", async () => {
    const { setPolicy, create, busbar, credential } = scene;
    await setPolicy(ALLOWED);
    const id = await create("others@example.com");
    const operationId = await update(id, { familyName: "Other" });
    const globex = await openAgent(busbar, { credential, groupRef: "globex" });
    assert.equal((await globex.call("undo_operation", { operationId })).content.problem.status, 404);
    const record = { id, familyName: "Own" };
    const own = await busbar.write("crm", "person", { groupRef: "acme", type: "update", record });
    const { problem } = await refused("undo_operation", { operationId: own.body.operationId });
    assert.equal(problem.status, 404);
    assert.equal((await refused("undo_operation", { operationId: "x" })).problem.status, 404);
  });
});
