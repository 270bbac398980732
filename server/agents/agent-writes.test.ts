/** What agents write: once, within the policy, and told as what it became. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openAgent } from "../../tests/harness/agent-client.ts";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { until } from "../../tests/harness/until.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";

const buildManifest = (provider: string, contact: string) => `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${contact}
          mapToName: ${provider === "hubspot" ? "person" : "human"}
          destination: hook
          requiredFields:
            - fieldName: email
            - { fieldName: lastname, mapToName: familyName }
            - { fieldName: firstname, mapToName: givenName }
    write:
      objects: [{ objectName: ${contact}${provider === "hubspot" ? ", inheritMapping: true" : ""} }]
    proxy: { enabled: true }
`;
const ALLOWED = { default: { write: "allow", delete: "allow", callApiWrite: "allow" } };

/** A new hour begins a new event. */
const countCalls = (events: Answer["body"][]): number =>
  events.reduce((sum, { count = 1 }) => sum + count, 0);
const withoutRepeats = (rows: unknown[]): unknown[] =>
  [...new Set(rows.map((row) => JSON.stringify(row)))].map((row): unknown => JSON.parse(row));

const busbar = await shareTestBusbar();

busbar.sandbox.hubspot.setLimits("off");
for (const [provider, contact] of [
  ["hubspot", "contacts"],
  ["salesforce", "contact"],
] as const) {
  const content = {
    write: { objects: { [contact]: { objectName: contact, deletionSettings: { enabled: true } } } },
  };
  await connectCustomer(busbar, {
    provider,
    manifest: buildManifest(provider, contact),
    integration: provider,
    content,
  });
}
const agent = await openAgent(busbar);

describe("what agents write", () => {
  const setPolicy = async (policy: object): Promise<void> => {
    const answer = await busbar.inProject("PUT", "/agent-policy", policy);
    assert.equal(answer.status, 200, answer.text);
  };
  const succeed = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer["body"]> => {
    const { isError, content } = await agent.call(tool, args);
    assert.equal(isError, false, JSON.stringify(content));
    return content;
  };
  const refused = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer["body"]> => {
    const { isError, content } = await agent.call(tool, args);
    assert.equal(isError, true, JSON.stringify(content));
    return content;
  };
  const contacts = (email: string) =>
    busbar.sandbox.records("hubspot", "contacts").filter((row) => JSON.stringify(row).includes(email));

  test("without a policy a write is not done, and a dry run shows what it would be", async () => {
    const record = { email: "nobody@example.com", familyName: "Nobody" };
    const { status, preview, withheld } = await succeed("create_record", {
      object: "person",
      record,
      dryRun: true,
    });
    assert.deepEqual([status, preview.fields, withheld], ["dry_run", record, []]);
    assert.match(JSON.stringify(preview.requests), /nobody@example\.com/);
    assert.equal((await refused("delete_record", { object: "person", id: "501" })).status, "forbidden");
    assert.equal(
      (await refused("delete_record", { object: "person", id: "501", dryRun: true })).status,
      "forbidden",
    );
  });

  test("an act that needs a decision is stored, and carried out once after another principal has approved it", async () => {
    await setPolicy({});
    const args = { object: "person", record: { email: "asked@example.com", familyName: "Asked" } };
    const { status, approval } = await succeed("create_record", args);
    assert.deepEqual([status, approval.status], ["approval_required", "pending"]);
    assert.match(
      approval.approvalUrl,
      new RegExp(`^http.*/projects/default/approvals/${approval.approvalId}$`),
    );
    assert.equal((await succeed("create_record", args)).approval.approvalId, approval.approvalId);
    assert.deepEqual(contacts("asked@example.com"), []);
    const { approvalId } = approval;
    const decide = (headers?: Record<string, string>) =>
      busbar.inProject("POST", `/approvals/${approvalId}:decide`, { decision: "approve" }, headers);
    assert.equal((await decide()).status, 403, "by who asked");
    const key = await busbar.inProject("POST", "/api-keys", { label: "decider" });
    const orgId = busbar.server.bootstrap?.orgId;
    assert.ok(orgId);
    // A key that who asked has made is no other principal.
    assert.equal((await decide({ "x-api-key": key.body.key })).status, 403);
    assert.equal((await succeed("get_approval", { approvalId })).status, "pending");
    const asker = await busbar.inProject("POST", "/api-keys", { label: "asker", scopes: ["write"] });
    const other = await openAgent(busbar, { credential: asker.body.key });
    const second = { ...args, record: { ...args.record, email: "second@example.com" } };
    const asked = await other.call("create_record", second);
    const id = asked.content.approval.approvalId;
    const decided = await busbar.inProject("POST", `/approvals/${id}:decide`, { decision: "approve" });
    assert.equal(decided.status, 200, decided.text);
    const ended = await until(async () => {
      const now = await succeed("get_approval", { approvalId: id });
      return now.status === "executed" ? now : undefined;
    });
    assert.equal(
      (await succeed("get_operation", { operationId: ended.operationId })).operation.status,
      "success",
    );
    assert.equal(contacts("second@example.com").length, 1);
  });

  test("a budget stops the act beyond it, whether or not calls run at once", async () => {
    await setPolicy({ ...ALLOWED, budgets: { writesPerHourPerGroup: 3 } });
    const calls = Array.from({ length: 8 }, (_, at) =>
      agent.call("create_record", { object: "person", record: { email: `budget${at}@example.com` } }),
    );
    const results = await Promise.all(calls);
    const refusedOnes = results.filter(({ isError }) => isError);
    assert.ok(refusedOnes.length >= 5, JSON.stringify(results));
    for (const { content } of refusedOnes) {
      assert.equal(content.problem.status, 429);
      assert.match(content.problem.detail, /writesPerHourPerGroup/);
    }
  });

  for (const [provider, object] of [
    ["hubspot", "person"],
    ["salesforce", "human"],
  ] as const) {
    test(`a record of ${provider} is created, updated, upserted and deleted by the builder's names`, async () => {
      await setPolicy(ALLOWED);
      const email = `agent@${provider}.example`;
      const created = await succeed("create_record", { object, record: { email, familyName: "Agent" } });
      assert.equal(created.status, "success");
      assert.deepEqual(created.record, { id: created.recordId, fields: { email, familyName: "Agent" } });
      const id = created.recordId;
      const updated = await succeed("update_record", { object, id, record: { givenName: "Double" } });
      assert.deepEqual([updated.status, updated.recordId], ["success", id]);
      const { record } = await succeed("get_record", { object, id });
      assert.deepEqual([record.fields.familyName, record.fields.givenName], ["Agent", "Double"]);
      const operation = await busbar.inProject("GET", `/operations/${updated.operationId}`);
      const { kind, id: who, client } = operation.body.actor;
      assert.deepEqual([kind, client], ["agent", "test-agent 1.0.0"]);
      assert.ok(who);
      if (provider === "hubspot") {
        const upserted = await succeed("upsert_record", {
          object,
          key: "email",
          record: { email, givenName: "Secret" },
        });
        assert.equal(upserted.recordId, id);
      }
      assert.equal((await succeed("delete_record", { object, id })).status, "success");
      assert.equal((await refused("get_record", { object, id })).problem.status, 422);
    });
  }

  test("the same call is the same act for ten minutes, and a key makes it another or the same", async () => {
    await setPolicy(ALLOWED);
    const args = { object: "person", record: { email: "once@example.com", familyName: "Once" } };
    const first = await succeed("create_record", args);
    const again = await succeed("create_record", { ...args, integration: "hubspot" });
    assert.deepEqual([again.operationId, again.repeated], [first.operationId, true]);
    assert.match(again.note, /done before/);
    assert.equal(contacts("once@example.com").length, 1);
    const keyed = { ...args, record: { familyName: "Keyed" }, idempotencyKey: "k1" };
    const one = await succeed("create_record", keyed);
    const two = await succeed("create_record", keyed);
    assert.deepEqual([two.operationId, two.repeated, one.repeated], [one.operationId, true, undefined]);
    const other = await refused("create_record", { ...keyed, record: { familyName: "Other" } });
    assert.equal(other.problem.status, 422);
    assert.match(other.problem.detail, /already used/);
  });

  test("equal calls at once are one act, and none of them is told that its outcome is unknown", async () => {
    await setPolicy(ALLOWED);
    const record = { email: "at-once@example.com", familyName: "Once" };
    const all = await Promise.all(
      Array.from({ length: 50 }, () => agent.call("create_record", { object: "person", record })),
    );
    const told = new Set(all.map(({ content }) => `${content.status} ${content.problem?.status ?? ""}`));
    told.delete("failure 409");
    assert.deepEqual([...told], ["success "]);
    assert.equal(contacts("at-once@example.com").length, 1);
  });

  test("what the provider refuses wrote nothing, so that the same call is tried again", async () => {
    await setPolicy(ALLOWED);
    const args = { object: "person", record: { email: "no address" } };
    const first = await refused("create_record", args);
    assert.deepEqual([first.status, first.problem.status], ["failure", 422]);
    const second = await refused("create_record", args);
    assert.notEqual(second.problem.operationId, first.problem.operationId);
  });

  test("a lost answer is reported as unknown, with what to do, and is not repeated", async () => {
    await setPolicy(ALLOWED);
    busbar.sandbox.addFault({ provider: "hubspot", bodyContains: "lost@example.com", reset: "after" });
    const args = { object: "person", record: { email: "lost@example.com", familyName: "Lost" } };
    const lost = await succeed("create_record", args);
    assert.equal(lost.status, "unknown", JSON.stringify(lost));
    assert.match(lost.note, /before you repeat it/);
    const again = await succeed("create_record", args);
    assert.deepEqual([again.status, again.operationId, again.repeated], ["unknown", lost.operationId, true]);
    assert.ok(contacts("lost@example.com").length <= 1);
  });

  test("a hidden field is not written, by none of its names", async () => {
    await setPolicy({ ...ALLOWED, hiddenFields: { person: ["lastname"] } });
    for (const name of ["familyName", "lastname", "LastName"]) {
      const { status, problem } = await refused("update_record", {
        object: "person",
        id: "501",
        record: { [name]: "X" },
      });
      assert.equal(status, "forbidden");
      assert.match(problem.detail, new RegExp(name));
    }
    const keyed = await refused("upsert_record", {
      object: "person",
      key: "familyName",
      record: { email: "a@b.example" },
    });
    assert.equal(keyed.status, "forbidden");
    const misspelled = { object: "person", id: "501", record: { lastnam: "X" } };
    const { problem } = await refused("update_record", misspelled);
    assert.match(problem.detail, /"lastnam" does not exist/);
    assert.doesNotMatch(problem.detail, /lastname/, "a suggestion names no hidden field either");
  });

  test("undoing what is hidden since is refused with the reason, and names no hidden field", async () => {
    await setPolicy(ALLOWED);
    const record = { email: "hidden-since@example.com", familyName: "Before" };
    const { recordId: id } = await succeed("create_record", { object: "person", record });
    const update = { object: "person", id, record: { familyName: "After" } };
    const { operationId } = await succeed("update_record", update);
    await setPolicy({ ...ALLOWED, hiddenFields: { person: ["familyName"] } });
    const { problem } = await refused("undo_operation", { operationId });
    assert.match(problem.detail, /policy hides/);
    assert.doesNotMatch(problem.detail, /familyName|lastname|Before|After/);
  });

  test("a call of the API goes through the proxy, and needs a rule of its own where fields are hidden", async () => {
    await setPolicy({});
    const call = {
      integration: "hubspot",
      method: "GET",
      path: "/crm/v3/objects/contacts",
      query: { limit: 1 },
    };
    const { status, body, truncated } = await succeed("call_api", call);
    assert.deepEqual([status, JSON.parse(body).results.length, truncated], [200, 1, false]);
    assert.equal((await refused("call_api", { ...call, method: "POST" })).status, "forbidden");
    await setPolicy({ hiddenFields: { person: ["lastname"] } });
    assert.match((await refused("call_api", call)).problem.detail, /rule of its own/);
    await setPolicy({
      hiddenFields: { person: ["lastname"] },
      rules: [{ tool: "call_api", decision: "allow" }],
    });
    assert.equal((await succeed("call_api", call)).status, 200);
    for (const path of ["//evil.example/", "/../x", "https://evil.example/"]) {
      const { isError, content } = await agent.call("call_api", { ...call, path });
      assert.ok(isError || content.status >= 400, path);
    }
    await refused("call_api", { ...call, headers: { authorization: "Bearer x" } });
  });

  test("an account is connected at an address for the customer", async () => {
    const app = { provider: "hubspot", clientId: "app", clientSecret: "secret", scopes: ["oauth"] };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    const { connectUrl, expireTime } = await succeed("connect_account", { integration: "hubspot" });
    assert.match(connectUrl, /^http:\/\/.*\/callbacks\/v1\/oauth\/begin/);
    assert.ok(Date.parse(expireTime) > Date.now());
    assert.equal((await refused("connect_account", { integration: "hubspt" })).problem.status, 404);
  });

  test("what it asked for, was refused, or tried is in the audit with the agent, and what it wrote in the operations", async () => {
    const key = await busbar.inProject("POST", "/api-keys", { label: "robot", scopes: ["write", "proxy"] });
    const robot = await openAgent(busbar, { credential: key.body.key });
    const record = { email: "audited@example.com", familyName: "Audited" };
    await setPolicy({ rules: [{ tool: "delete_record", decision: "forbid" }] });
    await robot.call("create_record", { object: "person", record, dryRun: true });
    const asked = await robot.call("create_record", { object: "person", record });
    await robot.call("create_record", { object: "person", record });
    await robot.call("delete_record", { object: "person", id: "1" });
    await robot.call("delete_record", { object: "nothing", id: "1" });
    // Beyond the key's scopes: refused with 403 before any tool runs.
    await assert.rejects(robot.call("get_record", { object: "person", id: "2" }));
    await setPolicy(ALLOWED);
    const other = { ...record, email: "audited-2@example.com" };
    const { content: written } = await robot.call("create_record", { object: "person", record: other });
    const path = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events`;
    const list = async (query: string) => (await busbar.call("GET", `${path}?${query}`)).body.results;
    const events = await list(`actor=${key.body.id}`);
    const approvalId = asked.content.approval.approvalId;
    assert.deepEqual(
      withoutRepeats(
        events.map(({ operationId, outcome, target }: Answer["body"]) => [operationId, outcome, target]),
      ),
      [
        ["get_record", "refused", { kind: "record", id: "2", name: "person" }],
        ["delete_record", "refused", { kind: "record", id: "1", name: "person" }],
        ["create_record", "approval_required", { kind: "approval", id: approvalId, name: "person" }],
        ["create_record", "dry_run", { kind: "object", id: "person", name: "person" }],
      ],
    );
    assert.deepEqual(events[0].actor, { kind: "agent", id: key.body.id, name: "robot" });
    assert.deepEqual(events[2].changed, ["email", "familyName"]);
    const refusals = await list(`actor=${key.body.id}&actorKind=agent&outcome=refused`);
    assert.deepEqual(refusals, events.slice(0, 2));
    assert.deepEqual(await list(`actor=${key.body.id}&actorKind=person`), []);
    const operations = (await busbar.inProject("GET", `/operations?actor=${key.body.id}`)).body.results;
    assert.deepEqual(
      operations.map(({ id, actor }: Answer["body"]) => [id, actor.kind, actor.client]),
      [[written.operationId, "agent", "test-agent 1.0.0"]],
    );
    const asks = await list(`actor=${key.body.id}&outcome=approval_required`);
    assert.equal(countCalls(asks), 2, "asked twice for the same");
    // A call of the API by a tool is the agent's, too.
    await robot.call("call_api", { integration: "hubspot", method: "GET", path: "/crm/v3/objects/contacts" });
    const [called] = await list("actorKind=agent&operationId=callProvider");
    assert.equal(called?.actor.id, key.body.id);
  });

  test("a loop of refused calls is one event an hour, with their number and the time of the last", async () => {
    const made = await busbar.inProject("POST", "/api-keys", { label: "loop", scopes: ["write"] });
    const loop = await openAgent(busbar, { credential: made.body.key });
    await setPolicy({ rules: [{ tool: "delete_record", decision: "forbid" }] });
    const calls = Array.from({ length: 20 }, (_, at) =>
      loop.call("delete_record", { object: "person", id: `${at}` }),
    );
    await Promise.all(calls);
    await loop.call("create_record", {
      object: "person",
      record: { email: "loop@example.com" },
      dryRun: true,
    });
    const path = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events?actor=${made.body.id}`;
    const refusals = (await busbar.call("GET", `${path}&outcome=refused`)).body.results;
    assert.ok(refusals.length <= 2, JSON.stringify(refusals));
    assert.equal(countCalls(refusals), 20);
    const [{ time, lastTime, target }] = refusals;
    assert.ok(lastTime >= time && target.kind === "record", JSON.stringify(refusals));
    const tried = (await busbar.call("GET", `${path}&outcome=dry_run`)).body.results;
    assert.deepEqual([tried.length, tried[0].count], [1, undefined]);
  });
});
