/** The policy of agents through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const busbar = await shareTestBusbar();

describe("the policy of agents", () => {
  const put = (body: object) => busbar.inProject("PUT", "/agent-policy", body);

  test("a project that has set nothing lets agents read, asks before writes, and forbids the rest", async () => {
    const { body } = await busbar.inProject("GET", "/agent-policy");
    assert.deepEqual(body, {
      rules: [],
      default: {
        read: "allow",
        write: "ask",
        delete: "forbid",
        callApiRead: "allow",
        callApiWrite: "forbid",
      },
      hiddenFields: {},
      budgets: { writesPerHour: 200, writesPerHourPerGroup: 50 },
      authorizationServers: [],
      approvalMinutes: 1440,
      customersMayDecide: false,
      paused: false,
    });
  });

  test("a PUT replaces the whole policy and answers with the defaults of what it left out", async () => {
    const rules = [{ tool: "update_record", integration: "*", object: "contact", decision: "allow" }];
    const first = await put({
      rules,
      paused: true,
      default: { delete: "ask" },
      authorizationServers: ["https://issuer.example.com"],
    });
    assert.equal(first.status, 200, first.text);
    assert.deepEqual([first.body.rules, first.body.paused, first.body.default.write], [rules, true, "ask"]);
    assert.equal(first.body.default.delete, "ask");
    assert.deepEqual((await busbar.inProject("GET", "/agent-policy")).body, first.body);
    const second = await put({ hiddenFields: { contact: ["ssn"] } });
    assert.deepEqual(
      [second.body.rules, second.body.paused, second.body.budgets, second.body.hiddenFields],
      [[], false, {}, { contact: ["ssn"] }],
    );
  });

  test("the decisions for a customer are listed by tool and object, as the rules make them", async () => {
    await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    await put({
      rules: [{ tool: "update_record", object: "contacts", decision: "allow" }],
      hiddenFields: { contacts: ["ssn"] },
    });
    const list = async (groupRef: string) =>
      (await busbar.inProject("GET", `/agent-policy/decisions?groupRef=${groupRef}`)).body;
    const decisions = (await list("acme")) as Record<string, unknown>[];
    const of = (tool: string, kind: string) =>
      decisions.find((one) => one["tool"] === tool && one["kind"] === kind);
    const contacts = { integration: "hubspot", object: "contacts", hiddenFields: ["ssn"] };
    const update = { ...contacts, tool: "update_record", kind: "write", decision: "allow" };
    assert.deepEqual(of("update_record", "write"), update);
    assert.equal(of("create_record", "write")?.["decision"], "ask");
    assert.equal(of("delete_record", "delete")?.["decision"], "forbid");
    // Without a rule of its own, since fields are hidden.
    assert.equal(of("call_api", "read")?.["decision"], "forbid");
    assert.deepEqual(await list("nobody"), []);
    await put({});
  });

  test("each mistake is refused with its place, and nothing is stored", async () => {
    const before = (await busbar.inProject("GET", "/agent-policy")).body;
    const faults: [body: object, place: string, detail: RegExp][] = [
      [{ colour: "red" }, "colour", /not a member/],
      [{ rules: [{ decision: "allow", objekt: "contact" }] }, "rules[0].objekt", /not a member/],
      [
        { rules: [{ decision: "allow" }, { tool: "drop_table", decision: "allow" }] },
        "rules[1].tool",
        /must be one of list_integrations/,
      ],
      [{ rules: [{ tool: "get_record", decision: "maybe" }] }, "rules[0].decision", /allow, ask, forbid/],
      [{ rules: [{ tool: "get_record" }] }, "rules[0].decision", /missing/],
      [{ rules: [{ object: "con*", decision: "forbid" }] }, "rules[0].object", /cannot be part of one/],
      [{ default: { read: "yes" } }, "default.read", /allow, ask, forbid/],
      [{ default: { reed: "allow" } }, "default.reed", /not a member/],
      [{ hiddenFields: { contact: "ssn" } }, "hiddenFields.contact", /array/],
      [{ budgets: { writesPerHour: -1 } }, "budgets.writesPerHour", /at least 0/],
      [{ budgets: { writesPerHour: 1.5 } }, "budgets.writesPerHour", /integer/],
      [{ budgets: { writesPerDay: 5 } }, "budgets.writesPerDay", /not a member/],
      [
        { authorizationServers: ["https://a.example", "http://b.example"] },
        "authorizationServers[1]",
        /https:\/\//,
      ],
      [{ authorizationServers: ["https://a.example/?x=1"] }, "authorizationServers[0]", /\?/],
      [{ authorizationServers: ["https://u:p@a.example"] }, "authorizationServers[0]", /password/],
      [{ approvalMinutes: 0 }, "approvalMinutes", /at least 1/],
      [{ paused: "yes" }, "paused", /boolean/],
    ];
    for (const [body, place, detail] of faults) {
      const answer = await put(body);
      assert.equal(answer.status, 400, `${place}: ${answer.text}`);
      const issue = answer.body.issues.find(({ name }: { name: string }) => name === place);
      assert.match(issue?.detail ?? "", detail, `${place}: ${answer.text}`);
      assert.ok(answer.body.detail.includes(place), answer.body.detail);
    }
    assert.deepEqual((await busbar.inProject("GET", "/agent-policy")).body, before);
  });

  test("only a full key or an editor sets it; a change is in the audit", async () => {
    const key = async (scopes: string[]) =>
      (await busbar.inProject("POST", "/api-keys", { label: scopes.join(), scopes })).body.key;
    for (const scopes of [["read"], ["write"], ["proxy"], ["frontend"], ["read-only"]]) {
      const headers = { "x-api-key": await key(scopes) };
      const answer = await busbar.call("PUT", "/v1/projects/default/agent-policy", {}, headers);
      assert.equal(answer.status, 403, `${scopes}: ${answer.text}`);
    }
    await put({ paused: true, rules: [] });
    const orgId = busbar.server.bootstrap?.orgId;
    const { body } = await busbar.call("GET", `/v1/orgs/${orgId}/audit-events?operationId=putAgentPolicy`);
    assert.deepEqual(body.results[0].changed, ["paused", "rules"]);
  });
});
