/** Attacks on approvals and budgets: as an agent, its client, another customer or another project would try them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newId } from "../../ground/ids.ts";
import { openAgent, sendMessage, type AgentClient } from "../harness/agent-client.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../harness/customer-tokens.ts";
import { addPerson } from "../harness/people.ts";
import { secondProject } from "../harness/second-project.ts";
import { until } from "../harness/until.ts";
import { openScene, WITH_DELETION, type Scene } from "./agent-scene.ts";

describe("an approval", () => {
  let scene: Scene;
  let signer: TokenSigner;
  after(() => scene.busbar.stop());
  before(async () => {
    scene = await openScene();
    signer = await registerJwtKey(scene.busbar);
  });

  test("is not decided by a credential of agents, browsers, customers or viewers, nor by nobody", async () => {
    const { busbar, decide, get, askCreate, credential, contacts } = scene;
    const id = await askCreate("forged@example.com");
    const keyWith = async (scopes: string[]) => ({
      "x-api-key": (await busbar.inProject("POST", "/api-keys", { label: "x", scopes })).body.key,
    });
    const viewer = await addPerson(busbar, "viewer");
    const forgers: [Record<string, string>, number][] = [
      [{ "x-api-key": credential }, 403],
      [{ "x-api-key": "" }, 401],
      [await keyWith(["write", "read", "proxy"]), 403],
      [await keyWith(["frontend"]), 403],
      [await keyWith(["read-only"]), 403],
      [bearer(await signer.sign()), 403],
      [bearer(await signer.sign({ groupRef: "globex" })), 403],
      [viewer.headers, 403],
    ];
    for (const [headers, status] of forgers) assert.equal((await decide(id, headers)).status, status);
    assert.equal((await get(id)).status, "pending");
    assert.deepEqual(contacts("forged@example.com"), []);
  });

  test("is not made by what an agent puts into its call", async () => {
    const { busbar, agent, credential, contacts } = scene;
    const record = { email: "argued@example.com", familyName: "Argued" };
    for (const forged of [
      { approved: true },
      { approvalId: newId() },
      { approval: { status: "approved" } },
    ]) {
      const { isError, content: result } = await agent.call("create_record", {
        object: "person",
        record,
        ...forged,
      });
      assert.equal(isError, true);
      assert.equal(result.problem.status, 400, JSON.stringify(result));
    }
    const headers = { authorization: `Bearer ${credential}` };
    for (const name of ["decide", "decide_approval", "decideApproval", "approve"]) {
      const params = { name, arguments: { approvalId: newId(), decision: "approve" } };
      const answer = await sendMessage(busbar, "tools/call", params, { headers });
      assert.ok(answer.body.error ?? answer.body.result.isError, answer.text);
    }
    assert.deepEqual(contacts("argued@example.com"), []);
  });

  test("is decided by a person with the role editor, and never by the person who made the agent's key", async () => {
    const { busbar, decide, ended } = scene;
    const editor = await addPerson(busbar, "editor");
    const made = await busbar.call(
      "POST",
      "/v1/projects/default/api-keys",
      { label: "hers", scopes: ["write"] },
      editor.headers,
    );
    assert.equal(made.status, 201, made.text);
    const hers = await openAgent(busbar, { credential: made.body.key });
    const record = { email: "hers@example.com", familyName: "Hers" };
    const { content: asked } = await hers.call("create_record", { object: "person", record });
    const { approvalId } = asked.approval;
    assert.equal((await decide(approvalId, editor.headers)).status, 403);
    assert.equal((await decide(approvalId, { "x-api-key": made.body.key })).status, 403);
    const other = await addPerson(busbar, "editor");
    const decided = await decide(approvalId, other.headers);
    assert.equal(decided.status, 200, decided.text);
    assert.deepEqual([decided.body.decidedBy.kind, decided.body.decidedBy.id], ["person", other.builderId]);
    assert.equal((await ended(approvalId)).status, "executed");
  });

  test("is decided by a customer's token only if the policy says so, in its own group, and not for its own consumer", async () => {
    const { busbar, setPolicy, decide, create, ended, succeed } = scene;
    await setPolicy({ ...WITH_DELETION, hiddenFields: { person: ["familyName"] } });
    const own = bearer(await signer.sign({ consumerRef: "ada" }));
    const other = bearer(await signer.sign({ consumerRef: "bea" }));
    const globex = bearer(await signer.sign({ groupRef: "globex", consumerRef: "bea" }));
    const frontend = await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] });
    const adas = await openAgent(busbar, { credential: await signer.sign({ consumerRef: "ada" }) });
    const asked = await adas.call("delete_record", {
      object: "person",
      id: await create("token@example.com"),
    });
    const id: string = asked.content.approval.approvalId;
    const read = (path: string, headers: Record<string, string>) =>
      busbar.inProject("GET", `/approvals${path}`, undefined, headers);
    for (const path of ["", `/${id}`]) assert.equal((await read(path, other)).status, 403, "by default");
    assert.equal((await decide(id, other)).status, 403);

    await setPolicy({ ...WITH_DELETION, hiddenFields: { person: ["familyName"] }, customersMayDecide: true });
    const browser = { "x-api-key": frontend.body.key };
    for (const path of ["", `/${id}`]) assert.equal((await read(path, browser)).status, 403, "for anybody");
    assert.equal((await decide(id, browser)).status, 403);
    assert.equal((await decide(id, own)).status, 403, "who asked");
    assert.equal((await decide(id, globex)).status, 404);
    assert.equal((await read(`/${id}`, globex)).status, 404);
    assert.deepEqual((await read("", globex)).body.results, []);
    assert.equal((await read("?groupRef=acme", globex)).status, 403);
    const shown = (await read(`/${id}`, other)).body;
    assert.equal(shown.before.givenName, "Ada", JSON.stringify(shown));
    assert.doesNotMatch(JSON.stringify(shown), /"King"|familyName|lastname"/);
    const listed = (await read("?status=pending&pageSize=1", other)).body.results;
    assert.deepEqual(listed, [shown]);
    assert.match(JSON.stringify((await read(`/${id}`, {})).body.before), /King/, "a key sees it");
    const decided = await decide(id, other);
    assert.equal(decided.status, 200, decided.text);
    assert.deepEqual(decided.body.decidedBy, { kind: "customer", id: "bea" });
    assert.equal((await ended(id)).status, "executed");
    assert.equal((await succeed("get_approval", { approvalId: id })).status, "executed");
    await setPolicy({});
  });

  test("is decided once, however many decide at once, and the act is sent once", async () => {
    const { busbar, decide, askCreate, ended, contacts, succeed } = scene;
    await busbar.sibling();
    const id = await askCreate("race@example.com");
    const answers = await Promise.all(Array.from({ length: 12 }, () => decide(id)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(11).fill(409)]);
    assert.equal((await ended(id)).status, "executed");
    assert.equal((await decide(id)).status, 409, "a replayed decision");
    assert.equal((await decide(id, {}, { decision: "reject" })).status, 409);
    // The call again, also under a policy that allows it now, is the same act.
    const args = { object: "person", record: { email: "race@example.com", familyName: "Asked" } };
    for (const policy of [{}, { default: { write: "allow" } }]) {
      await scene.setPolicy(policy);
      const again = await succeed("create_record", args);
      assert.deepEqual([again.approval.status, again.repeated], ["executed", true]);
    }
    await scene.setPolicy({});
    assert.equal(contacts("race@example.com").length, 1);
  });

  test("of one customer or project is unknown to another, and cannot be moved", async () => {
    const { busbar, askCreate, get } = scene;
    const id = await askCreate("moved@example.com");
    const globex = await openAgent(busbar, { groupRef: "globex", credential: scene.credential });
    const moved = await globex.call("get_approval", { approvalId: id });
    const nothing = newId();
    const unknown = await globex.call("get_approval", { approvalId: nothing });
    assert.equal(moved.content.problem.status, 404);
    assert.equal(moved.content.problem.detail, unknown.content.problem.detail.replace(nothing, id));
    const other = await secondProject(busbar);
    for (const path of [`/approvals/${id}`, `/approvals/${id.toUpperCase()}`]) {
      assert.equal((await other.inProject("GET", path)).status, 404);
      assert.equal((await other.inProject("POST", `${path}:decide`, { decision: "approve" })).status, 404);
    }
    assert.deepEqual((await other.inProject("GET", "/approvals")).body.results, []);
    for (const forged of ["x", "' or true --", "00000000-0000-0000-0000-000000000000"]) {
      const path = `/approvals/${encodeURIComponent(forged)}`;
      assert.equal((await busbar.inProject("GET", path)).status, 404);
    }
    assert.equal((await get(id)).status, "pending");
  });

  test("for a key of another act is refused, and its act cannot be exchanged", async () => {
    const { agent, succeed, get } = scene;
    const first = { object: "person", record: { email: "key1@example.com" }, idempotencyKey: "k-1" };
    const { approval } = await succeed("create_record", first);
    const changed = { ...first, record: { email: "key2@example.com" } };
    const exchanged = await agent.call("create_record", changed);
    assert.equal(exchanged.content.problem.status, 422, JSON.stringify(exchanged.content));
    assert.deepEqual((await get(approval.approvalId)).after, { email: "key1@example.com" });
    // How the object is named makes no other act.
    const named = await succeed("create_record", { ...first, object: "contacts", integration: "crm" });
    assert.equal(named.approval.approvalId, approval.approvalId);
  });

  test("of an act that the policy forbids or hides since is not carried out, and waits for a pause to end", async () => {
    const { setPolicy, ask, create, decide, get, ended, contacts } = scene;
    const recordId = await create("since@example.com");
    await setPolicy(WITH_DELETION);
    const deletion = await ask("delete_record", { id: recordId });
    const update = await ask("update_record", { id: recordId, record: { familyName: "Since" } });
    await setPolicy({ ...WITH_DELETION, paused: true });
    assert.equal((await decide(update)).status, 200);
    await setPolicy({ hiddenFields: { person: ["familyName"] }, paused: true });
    assert.equal((await get(update)).status, "approved");
    await setPolicy({ hiddenFields: { person: ["familyName"] } });
    assert.equal((await ended(update)).status, "rejected");
    assert.equal((await decide(deletion)).status, 200);
    assert.match((await ended(deletion)).reason, /forbids/);
    assert.equal(contacts("since@example.com").length, 1);
    assert.deepEqual(contacts('"Since"'), []);
    await setPolicy({});
  });

  test("tells an agent nothing of hidden fields: neither before, after, reason nor result", async () => {
    const { busbar, agent, setPolicy, ask, create, decide, ended, succeed } = scene;
    const recordId = await create("hidden@example.com", { familyName: "Secretname" });
    await setPolicy({ ...WITH_DELETION, hiddenFields: { "*": ["lastname"] } });
    const id = await ask("delete_record", { id: recordId });
    const seen = JSON.stringify([
      await succeed("get_approval", { approvalId: id }),
      await agent.call("delete_record", { object: "person", id: recordId }),
    ]);
    assert.doesNotMatch(seen, /Secretname|familyName|lastname/i);
    const shown = (await busbar.inProject("GET", `/approvals/${id}`)).body;
    assert.match(JSON.stringify(shown.before), /Secretname/, "whoever decides sees it");
    const record = { id: recordId, familyName: "Othername" };
    await busbar.write("crm", "person", { groupRef: "acme", type: "update", record });
    assert.equal((await decide(id)).status, 200);
    const done = await ended(id);
    assert.deepEqual([done.status, done.operationId], ["stale", undefined]);
    const reported = JSON.stringify(await succeed("get_approval", { approvalId: id }));
    assert.doesNotMatch(reported, /Secretname|Othername|familyName|lastname/i);
    const sent = await agent.call("update_record", {
      object: "person",
      id: recordId,
      record: { lastname: "x" },
    });
    assert.equal(sent.content.status, "forbidden");
    assert.doesNotMatch(JSON.stringify(sent), /Othername/);
    const api = { method: "GET", path: `/crm/v3/objects/contacts/${recordId}?properties=lastname` };
    const proxied = await agent.call("call_api", api);
    assert.equal(proxied.content.status, "forbidden");
    await setPolicy({});
  });
});

describe("an approved call of the API", () => {
  let scene: Scene;
  after(() => scene.busbar.stop());
  before(async () => {
    scene = await openScene();
    await scene.setPolicy(ASKED);
  });
  const ASKED = { default: { callApiWrite: "ask", callApiRead: "ask" } };
  const post = (email: string) => ({
    method: "POST",
    path: "/crm/v3/objects/contacts?limit=1",
    body: { properties: { email } },
  });
  const ask = async (call: object): Promise<string> => {
    const { status, approval } = await scene.succeed("call_api", { ...call });
    assert.equal(status, "approval_required");
    return approval.approvalId;
  };

  test("is sent once, as an operation, exactly as it was asked for", async () => {
    const { succeed, decide, ended, get, contacts } = scene;
    const id = await ask(post("called@example.com"));
    assert.equal(await ask(post("called@example.com")), id, "the same call is the same act");
    assert.notEqual(await ask(post("other@example.com")), id);
    assert.deepEqual((await get(id)).arguments, post("called@example.com"));
    assert.deepEqual(contacts("called@example.com"), []);
    const answers = await Promise.all([decide(id), decide(id)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const { status, operationId } = await ended(id);
    assert.equal(status, "executed");
    const { operation, log } = await succeed("get_operation", { operationId });
    assert.deepEqual([operation.status, operation.actor.kind], ["success", "agent"]);
    assert.match(operation.result, /^\[POST \/crm\/v3\/objects\/contacts\] The provider answered 201/);
    assert.match(JSON.stringify(log), /called@example\.com/);
    assert.equal(contacts("called@example.com").length, 1);
    const again = await succeed("call_api", post("called@example.com"));
    assert.deepEqual([again.approval.status, again.repeated], ["executed", true]);
  });

  test("ends failed if the provider refuses it, and rejected if the policy does since; nobody is asked about reading", async () => {
    const { agent, setPolicy, decide, ended, contacts } = scene;
    const wrong = await ask({ method: "POST", path: "/crm/v3/objects/contacts", body: "{" });
    assert.equal((await decide(wrong)).status, 200);
    const failed = await ended(wrong);
    assert.deepEqual([failed.status, failed.reason], ["failed", "The provider answered 400."]);
    const [forbidden, unruled] = [
      await ask(post("forbidden@example.com")),
      await ask(post("hidden@example.com")),
    ];
    await setPolicy({ default: { callApiWrite: "forbid" } });
    assert.equal((await decide(forbidden)).status, 200);
    assert.equal((await ended(forbidden)).status, "rejected");
    await setPolicy({ ...ASKED, hiddenFields: { person: ["email"] } });
    assert.equal((await decide(unruled)).status, 200);
    assert.equal((await ended(unruled)).status, "rejected");
    await setPolicy(ASKED);
    assert.deepEqual([...contacts("forbidden@example.com"), ...contacts("hidden@example.com")], []);
    const read = await agent.call("call_api", { method: "GET", path: "/crm/v3/objects/contacts" });
    assert.equal(read.content.status, "forbidden");
  });
});

describe("time and budgets", () => {
  let scene: Scene;
  after(() => scene.busbar.stop());
  before(async () => {
    // An hour is five minutes here: a busy machine may need one for the calls of a budget.
    scene = await openScene({ BUSBAR_MINUTE_MS: "5000" });
  });

  test("an approval that nobody has decided in time can neither be decided nor asked for by the same call", async () => {
    const { setPolicy, askCreate, decide, get, contacts } = scene;
    await setPolicy({ approvalMinutes: 1 });
    const id = await askCreate("late@example.com");
    await until(async () => (await get(id)).status === "expired" || undefined);
    assert.equal((await decide(id)).status, 409);
    assert.equal((await decide(id, {}, { decision: "reject" })).status, 409);
    assert.deepEqual(contacts("late@example.com"), []);
  });

  test("fifty calls at once in two processes send exactly as many acts as the budget has", async () => {
    const { busbar, credential, setPolicy, contacts } = scene;
    await setPolicy({ default: { write: "allow" }, budgets: { writesPerHour: 9, writesPerHourPerGroup: 7 } });
    const sibling = await busbar.sibling();
    const agents = await Promise.all([
      openAgent(busbar, { credential }),
      openAgent({ ...busbar, server: sibling }, { credential }),
    ]);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const record = { email: `fifty${at}@example.com`, familyName: "Fifty" };
        return (agents[at % 2] as AgentClient).call("create_record", { object: "person", record });
      }),
    );
    assert.equal(results.filter(({ isError }) => !isError).length, 7);
    for (const { isError, content: result } of results)
      if (isError) {
        assert.equal(result.problem.status, 429);
        assert.match(result.problem.detail, /writesPerHourPerGroup.*\d{4}-\d\d-\d\dT/);
      }
    assert.equal(contacts("Fifty").length, 7);
    // An approved act beyond the budget waits for it; a call of the API counts as well.
    await setPolicy({ budgets: { writesPerHour: 8 } });
    const globex = await openAgent(busbar, { credential, groupRef: "globex" });
    const record = { email: "waits@example.com" };
    const asked = await globex.call("create_record", { object: "person", record });
    await setPolicy({ default: { callApiWrite: "allow" }, budgets: { writesPerHour: 8 } });
    const post = { method: "POST", path: "/crm/v3/objects/contacts", body: { properties: {} } };
    assert.equal((await globex.call("call_api", post)).content.status, 201);
    assert.equal((await globex.call("call_api", post)).content.problem.status, 429);
    const { approvalId } = asked.content.approval;
    assert.equal((await scene.decide(approvalId)).status, 200);
    assert.equal((await scene.get(approvalId)).status, "approved");
    await setPolicy({});
    assert.equal((await scene.ended(approvalId)).status, "executed");
    assert.equal(contacts("waits@example.com").length, 1);
  });
});
