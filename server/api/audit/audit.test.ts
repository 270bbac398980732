/** The audit: who changed what and viewed which secret, through a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addPerson, signIn, type TestPerson } from "../../../tests/harness/people.ts";
import { createLog } from "../../../ground/log.ts";
import { withRecordedChange } from "../../store/database/audit-context.ts";
import { transact } from "../../store/database/database.ts";
import { openDatabase } from "../../store/database/open-database.ts";

interface Event {
  id: string;
  time: string;
  actor: { kind: string; id?: string; name?: string };
  operationId: string;
  projectId?: string;
  target?: { kind: string; id: string; name?: string };
  changed?: string[];
  requestId: string;
}

const busbar = await shareTestBusbar();

const owner: Record<string, string> = await signIn(busbar);
const eve: TestPerson = await addPerson(busbar, "editor");
const path: string = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events`;

describe("the audit", () => {
  const list = async (query: Record<string, string> = {}, headers = owner): Promise<Event[]> => {
    const answer = await busbar.call("GET", `${path}?${new URLSearchParams(query)}`, undefined, headers);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.results;
  };
  const only = async (query: Record<string, string>): Promise<Event> => {
    const [event, ...more] = await list(query);
    assert.ok(event && more.length === 0, JSON.stringify([event, ...more]));
    return event;
  };

  test("a change is listed with who did it, what it touched and its request", async () => {
    const hook = { name: "hook", type: "webhook", metadata: { url: "https://example.com/hook" } };
    const made = await busbar.inProject("POST", "/destinations", hook, eve.headers);
    assert.equal(made.status, 201, made.text);
    const event = await only({ operationId: "createDestination" });
    assert.deepEqual(event.actor, { kind: "person", id: eve.builderId, name: "The editor" });
    assert.deepEqual(event.target, { kind: "destination", id: made.body.id, name: "hook" });
    assert.deepEqual(
      [event.projectId, event.requestId],
      [busbar.projectId, made.headers.get("x-request-id")],
    );
    assert.deepEqual(event.changed?.toSorted(), ["metadata", "name", "type"]);
    const change = {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: "https://example.com/b" } },
    };
    assert.equal((await busbar.inProject("PATCH", `/destinations/${made.body.id}`, change)).status, 200);
    const changed = await only({ operationId: "updateDestination", target: made.body.id });
    assert.deepEqual([changed.actor.kind, changed.actor.name], ["apiKey", "bootstrap"]);
    assert.deepEqual(changed.changed, ["metadata.url"]);
    assert.equal((await busbar.inProject("DELETE", `/destinations/${made.body.id}`)).status, 204);
    assert.equal((await only({ operationId: "deleteDestination" })).target?.id, made.body.id);
  });

  test("looking at a secret is listed, an ordinary read, a refusal and a dry run are not", async () => {
    const { connectionId } = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    const before = (await list()).length;
    assert.equal((await busbar.inProject("GET", `/connections/${connectionId}`)).status, 200);
    assert.equal((await busbar.inProject("POST", "/topics", { name: "a b" })).status, 422);
    const record = { groupRef: "acme", type: "create", record: { email: "a@example.com" } };
    const write = "/write/v1/projects/default/integrations/hubspot/objects/contacts";
    assert.ok((await busbar.call("POST", write, record)).status < 300);
    assert.equal((await list()).length, before);
    const shown = await busbar.inProject("GET", `/connections/${connectionId}?includeCreds=true`);
    assert.equal(shown.status, 200);
    const event = await only({ operationId: "getConnection" });
    assert.deepEqual([event.target?.kind, event.target?.id], ["connection", connectionId]);
  });

  test("no secret is in the audit", async () => {
    const app = { provider: "salesforce", clientId: "id-x", clientSecret: "very-secret-1", scopes: ["api"] };
    const made = await busbar.inProject("POST", "/provider-apps", app);
    assert.equal(made.status, 200, made.text);
    const key = (await busbar.inProject("POST", "/api-keys", { label: "ci" })).body;
    assert.equal((await busbar.inProject("DELETE", `/api-keys/${key.key}`)).status, 204);
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    const { rows } = await database.pool.query(
      "select row_to_json(audit_events)::text as row from audit_events",
    );
    await database.close();
    const text = rows.map(({ row }) => row).join("\n");
    assert.ok(text.includes("clientSecret"), "the names of members are there");
    for (const secret of ["very-secret-1", key.key, busbar.apiKey])
      assert.equal(text.includes(secret), false);
    assert.equal((await only({ operationId: "createApiKey" })).target?.id, key.id);
  });

  test("changes of people and of the organisation are listed", async () => {
    const org = path.replace("/audit-events", "");
    const invited = await busbar.call("POST", `${org}/invites`, { email: "x@acme.example" }, owner);
    assert.equal(invited.status, 201, invited.text);
    assert.equal((await only({ operationId: "createOrgInvite" })).target?.id, invited.body.id);
    await busbar.call("PATCH", `${org}/memberships/${eve.builderId}`, { role: "support" }, owner);
    const event = await only({ operationId: "updateMembership" });
    assert.deepEqual([event.target?.kind, event.target?.id], ["membership", eve.builderId]);
    assert.equal(event.projectId, undefined);
    const project = { orgId: busbar.server.bootstrap?.orgId, name: "second", appName: "Second" };
    const { id } = (await busbar.call("POST", "/v1/projects", project, owner)).body;
    assert.equal((await only({ operationId: "createProject" })).projectId, id);
  });

  test("the list is filtered, paged, and for a key limited to its project", async () => {
    for (const name of ["one", "two", "three"]) await busbar.inProject("POST", "/topics", { name }, owner);
    const all = await list({ operationId: "createTopic", actor: busbar.server.bootstrap?.builderId ?? "" });
    assert.deepEqual(
      all.map(({ target }) => target?.name),
      ["three", "two", "one"],
    );
    const page = await busbar.call("GET", `${path}?operationId=createTopic&pageSize=2`, undefined, owner);
    assert.equal(page.body.results.length, 2);
    const { nextPageToken } = page.body.pagination;
    assert.equal((await list({ operationId: "createTopic", pageToken: nextPageToken })).length, 1);
    assert.equal((await list({ operationId: "createTopic", until: all[1]?.time ?? "" })).length, 1);
    assert.deepEqual(await list({ actor: "nobody" }), []);
    assert.deepEqual(await list({ projectId: "nothing" }), []);
    const byKey = await list({}, { "x-api-key": busbar.apiKey });
    assert.ok(byKey.length > 0 && byKey.every(({ projectId }) => projectId === busbar.projectId));
    const tag = page.headers.get("etag") ?? "";
    const same = await busbar.call("GET", `${path}?operationId=createTopic&pageSize=2`, undefined, {
      ...owner,
      "if-none-match": tag,
    });
    assert.equal(same.status, 304);
  });

  test("an event is stored in the transaction of the change, and with it rolled back", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    const change = {
      isRecorded: false,
      record: async () => {
        throw new Error("no room for the audit");
      },
    };
    const rename = () =>
      transact(database, async (queries) => {
        await queries.updateTable("topics").set({ name: "renamed" }).where("name", "=", "one").execute();
      });
    await assert.rejects(withRecordedChange(change, rename), /no room/);
    assert.equal(change.isRecorded, false);
    await database.close();
    const topics = await busbar.inProject("GET", "/topics");
    assert.equal(topics.text.includes("renamed"), false);
  });
});
