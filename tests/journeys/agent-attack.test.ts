/** Attacks on what the policy protects, over a running server, by the published client and by hand. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildAgentUrl, openAgent, PROTOCOL, sendMessage } from "../harness/agent-client.ts";
import type { Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openScene, type Scene } from "./agent-scene.ts";

const ALLOWED = { default: { write: "allow", delete: "allow", callApiWrite: "allow" } };

const SALES = `
specVersion: 1.0.0
integrations:
  - name: sales
    provider: salesforce
    read:
      objects:
        - objectName: contact
          mapToName: human
          destination: hook
          requiredFields:
            - fieldName: Email
            - fieldName: Name
            - { fieldName: "$['Account']['Name']", mapToName: firm }
          optionalFieldsAuto: all
    write:
      objects: [{ objectName: contact, inheritMapping: true }]
    proxy: { enabled: true }
`;

/** A call as revision 2026-07-28 has it on the wire, with whatever a client may put into it. */
const callMessage = (
  name: string,
  args: unknown,
  { client = "raw", ...more }: { client?: string } & Record<string, unknown> = {},
) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name,
    arguments: args,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": PROTOCOL,
      "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
      ...more,
    },
  },
});

describe("an attack by an agent", () => {
  let scene: Scene;
  after(() => scene.busbar.stop());
  before(async () => {
    scene = await openScene();
    await connectCustomer(scene.busbar, {
      provider: "salesforce",
      manifest: SALES,
      integration: "sales",
      content: { read: { objects: { contact: { objectName: "contact", selectedFieldsAuto: "all" } } } },
    });
  });
  const refused = async (tool: string, args: Record<string, unknown>): Promise<Answer["body"]> => {
    const { isError, content } = await scene.agent.call(tool, args);
    assert.equal(isError, true, JSON.stringify(content));
    return content;
  };

  test("the same arguments in another order are the same act, written once", async () => {
    const { setPolicy, succeed, contacts } = scene;
    await setPolicy(ALLOWED);
    const first = await succeed("create_record", {
      object: "person",
      record: { email: "order@example.com", familyName: "Order" },
    });
    const again = await succeed("create_record", {
      record: { familyName: "Order", email: "order@example.com" },
      object: "person",
    });
    assert.deepEqual([again.operationId, again.repeated], [first.operationId, true]);
    assert.equal(contacts("order@example.com").length, 1);
    await setPolicy({});
    const asked = await succeed("create_record", {
      object: "person",
      record: { email: "order2@example.com", familyName: "Order" },
    });
    const askedAgain = await succeed("create_record", {
      object: "person",
      record: { familyName: "Order", email: "order2@example.com" },
    });
    assert.equal(askedAgain.approval.approvalId, asked.approval.approvalId);
  });

  test("text that PostgreSQL cannot store is refused by its place, wherever it stands", async () => {
    const { busbar, credential } = scene;
    const headers = { authorization: `Bearer ${credential}` };
    const send = (args: object, client = "raw") =>
      sendMessage(
        busbar,
        "tools/call",
        { name: "delete_record" },
        {
          headers,
          body: JSON.stringify(callMessage("delete_record", args, { client })),
        },
      );
    for (const text of ["a\0b", "half\ud800"]) {
      for (const answer of [
        await send({ object: "person", id: text }),
        await send({ object: text, id: "1" }),
        await send({ object: "person", id: "1", [text]: 1 }),
        await send({ object: "person", id: "1" }, text),
      ]) {
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.body.detail, /contains a NUL or half a surrogate pair/);
      }
    }
    for (const groupRef of ["a%00b", "%ff", "a%2F..%2Fglobex"]) {
      const url = buildAgentUrl(busbar).replace(/acme$/, groupRef);
      const answer = await sendMessage(busbar, "tools/list", {}, { url, headers });
      assert.ok(answer.status >= 400 && answer.status < 500, `${groupRef}: ${answer.status} ${answer.text}`);
    }
  });

  test("a method that a header or parameter puts in the place of another does not pass as reading", async () => {
    const { setPolicy } = scene;
    await setPolicy({});
    const call = { integration: "sales", method: "GET", path: "/services/data/v60.0/sobjects/Contact/1" };
    for (const more of [
      { headers: { "X-HTTP-Method-Override": "DELETE" } },
      { headers: { "x-http-method": "PATCH" } },
      { headers: { "X-Method-Override": "POST" } },
      { query: { _HttpMethod: "PATCH" } },
      { query: { _method: "delete" } },
      { path: `${call.path}?_httpmethod=PATCH` },
      { path: `${call.path}?a=b&%5Fmethod=DELETE` },
    ]) {
      const { status, problem } = await refused("call_api", { ...call, ...more });
      assert.deepEqual([status, problem.status], ["forbidden", 403], JSON.stringify(more));
    }
  });

  test("arguments that are nested beyond reason, or too many, are refused and stop nothing", async () => {
    const { setPolicy, busbar, succeed } = scene;
    await setPolicy(ALLOWED);
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    for (const record of [
      `{"familyName":${deep}}`,
      `{"familyName":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    ]) {
      const message = callMessage("create_record", { object: "person", record: "here" });
      const body = JSON.stringify(message).replace('"here"', record);
      const answer = await sendMessage(busbar, "tools/call", { name: "create_record" }, { body });
      assert.ok(answer.status < 500, answer.text.slice(0, 300));
      const problem = answer.body.result?.structuredContent?.problem;
      assert.ok(problem === undefined || problem.status < 500, JSON.stringify(problem));
    }
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field${at}`, "x"]));
    const { problem } = await refused("create_record", { object: "person", record: many });
    assert.ok(problem.status < 500, JSON.stringify(problem).slice(0, 300));
    assert.ok(JSON.stringify(problem).length < 200_000, `${JSON.stringify(problem).length} bytes of refusal`);
    assert.equal((await succeed("list_integrations")).integrations.length, 2);
  });

  test("a hidden field is not read through a field that it is a part of, nor through a path of the builder", async () => {
    const { setPolicy, succeed } = scene;
    await setPolicy({});
    const { records } = await succeed("search_records", { object: "human" });
    const { id, fields } = records.find(({ fields }: Answer["body"]) => fields.firm) ?? {};
    assert.ok(id, JSON.stringify(records));
    const text = async () => JSON.stringify(await succeed("get_record", { object: "human", id }));
    await setPolicy({ hiddenFields: { human: ["Account"] } });
    assert.ok(!(await text()).includes(fields.firm), await text());
    await setPolicy({ hiddenFields: { human: ["Account.Name"] } });
    assert.ok(!(await text()).includes(fields.firm), await text());
    await setPolicy({ hiddenFields: { human: ["LastName"] } });
    const name = Object.entries(fields).find(([key]) => key.toLowerCase() === "lastname")?.[1];
    assert.ok(typeof name === "string", JSON.stringify(fields));
    assert.ok(!(await text()).includes(name), `${name} in ${await text()}`);
    const searched = await refused("search_records", {
      object: "human",
      filters: [{ field: "Name", operator: "eq", value: fields.name ?? fields.Name }],
    });
    assert.equal(searched.problem.status, 400);
  });

  test("undoing goes by the rules for updating, and shows nothing that may not be read", async () => {
    const { setPolicy, succeed, create } = scene;
    await setPolicy(ALLOWED);
    const id = await create("undo-attack@example.com", { givenName: "Before" });
    const update = { object: "person", id, record: { givenName: "After" } };
    const { operationId } = await succeed("update_record", update);
    await setPolicy({
      ...ALLOWED,
      rules: [{ tool: "update_record", object: "person", decision: "forbid" }],
    });
    assert.equal((await refused("undo_operation", { operationId })).status, "forbidden");
    await setPolicy({ ...ALLOWED, rules: [{ tool: "update_record", object: "person", decision: "ask" }] });
    assert.equal((await succeed("undo_operation", { operationId })).status, "approval_required");
    await setPolicy({ ...ALLOWED, default: { ...ALLOWED.default, read: "forbid" } });
    const shown = await succeed("undo_operation", { operationId, dryRun: true });
    assert.doesNotMatch(JSON.stringify(shown), /Before/);
    const undone = await succeed("undo_operation", { operationId });
    assert.doesNotMatch(JSON.stringify(undone), /Before/);
  });

  test("an act at Salesforce, too, shows the values before, and ends stale if they have changed since", async () => {
    const { setPolicy, succeed, get, decide, ended, busbar } = scene;
    await setPolicy({});
    const { records } = await succeed("search_records", { object: "human", limit: 1 });
    const [{ id, fields }] = records;
    const title = Object.keys(fields).find((name) => name.toLowerCase() === "title");
    assert.ok(title, JSON.stringify(fields));
    const asked = await succeed("update_record", { object: "human", id, record: { [title]: "Asked" } });
    const { approvalId } = asked.approval;
    assert.deepEqual((await get(approvalId)).before, { [title]: fields[title] });
    const record = { id, [title]: "Changed meanwhile" };
    const written = await busbar.write("sales", "human", { groupRef: "acme", type: "update", record });
    assert.equal(written.status, 200, written.text);
    assert.equal((await decide(approvalId)).status, 200);
    assert.equal((await ended(approvalId)).status, "stale");
    const { record: now } = await succeed("get_record", { object: "human", id, fields: [title] });
    assert.equal(now.fields[title], "Changed meanwhile");
  });

  test("a record of any size fits the limit of a result, which says what it leaves out", async () => {
    const { setPolicy, succeed, create, busbar } = scene;
    await setPolicy(ALLOWED);
    const id = await create("large@example.com");
    const large = "ä".repeat(60_000);
    for (const record of [{ givenName: large }, { familyName: large }]) {
      const written = await busbar.write("crm", "person", {
        groupRef: "acme",
        type: "update",
        record: { ...record, id },
      });
      assert.equal(written.status, 200, written.text);
    }
    const result = await succeed("get_record", { object: "person", id });
    assert.ok(
      Buffer.byteLength(JSON.stringify(result)) < 140_000,
      `${JSON.stringify(result).length} characters`,
    );
    assert.equal(result.truncated, true);
    const found = await succeed("search_records", {
      object: "person",
      filters: [{ field: "email", operator: "eq", value: "large@example.com" }],
    });
    assert.ok(Buffer.byteLength(JSON.stringify(found)) < 140_000);
  });

  test("garbage in `traceparent` is no trace, and no fault", async () => {
    for (const traceparent of [
      "",
      "x",
      "00-0-0-0",
      `00-${"0".repeat(32)}-${"0".repeat(16)}-01`,
      "ff".repeat(5_000),
      7,
    ]) {
      const message = callMessage("list_integrations", {}, { traceparent });
      const answer = await sendMessage(
        scene.busbar,
        "tools/call",
        { name: "list_integrations" },
        { body: JSON.stringify(message) },
      );
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.result?.isError ?? false, false, answer.text);
    }
    const answer = await sendMessage(
      scene.busbar,
      "tools/call",
      { name: "list_integrations", arguments: {} },
      { headers: { traceparent: "garbage", tracestate: "=,=".repeat(500) } },
    );
    assert.equal(answer.status, 200, answer.text);
  });

  test("clients of both revisions work side by side, and share what an act is", async () => {
    const { setPolicy, busbar, credential } = scene;
    await setPolicy(ALLOWED);
    const [legacy, current] = await Promise.all([
      openAgent(busbar, { credential, revision: "2025-11-25" }),
      openAgent(busbar, { credential }),
    ]);
    const args = { object: "person", record: { email: "sides@example.com", familyName: "Sides" } };
    const one = await legacy.call("create_record", args);
    const two = await current.call("create_record", args);
    assert.equal(one.content.status, "success", JSON.stringify(one));
    assert.deepEqual([two.content.operationId, two.content.repeated], [one.content.operationId, true]);
    await Promise.all([legacy.close(), current.close()]);
  });

  test("a cursor of another search, a forged one, or one beyond the end leads nowhere", async () => {
    const { setPolicy, succeed, busbar, credential } = scene;
    await setPolicy({});
    const page = await succeed("search_records", { object: "person", limit: 1 });
    assert.ok(page.cursor);
    const globex = await openAgent(busbar, { credential, groupRef: "globex" });
    const moved = await globex.call("search_records", { object: "person", limit: 1, cursor: page.cursor });
    assert.equal(moved.content.problem.status, 400);
    const digest = page.cursor.split(".")[1];
    for (const cursor of ["1", ".", "-1.x", `99999999.${digest}`, `1e3.${digest}`, `1.${digest}x`]) {
      const { problem } = await refused("search_records", { object: "person", cursor });
      assert.equal(problem.status, 400, cursor);
    }
    const beyond = await succeed("search_records", { object: "person", cursor: `999999.${digest}` });
    assert.deepEqual([beyond.records, beyond.truncated], [[], false]);
  });
});
