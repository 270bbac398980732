/** Erasing a group: everything of it goes from every table, and nothing of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { bearer, registerJwtKey } from "../../../tests/harness/customer-tokens.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { eraseWhole } from "../../../tests/harness/erase-whole.ts";
import { secondProject } from "../../../tests/harness/second-project.ts";
import { until } from "../../../tests/harness/until.ts";
import { newId } from "../../../ground/ids.ts";
import type { NewEvent } from "../../events/event-types.ts";
import { recordEvent } from "../../events/record-event.ts";
import { sampleEvent } from "../../events/sample-event.ts";
import { insertRefusedRequests } from "../../store/access/refused-requests.ts";
import { insertProxyUsage } from "../../store/operations/proxy-usage.ts";
import { eraseGroup } from "./erasing.ts";
import { reopenDatabase } from "../../../tests/harness/database.ts";

/** Words of the customer that is erased; no row of any table may contain one afterwards. */
const MARK = "erasemark";

test("an erased group is in no table any more, its neighbour is whole, and the receipt counts what went", async (t) => {
  const sink = await openSink();
  const busbar = await openTestBusbar();
  t.after(async () => {
    await busbar.stop();
    await sink.close();
  });
  const connect = (groupRef: string) =>
    connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
  const [gone, kept] = [await connect(MARK), await connect("neighbour")];
  const { id: topicId } = (await busbar.inProject("POST", "/topics", { name: "all" })).body;
  const hook = { name: "hook", type: "webhook", metadata: { url: `${sink.url}/hook` } };
  const { id: destinationId } = (await busbar.inProject("POST", "/destinations", hook)).body;
  await busbar.inProject("POST", "/notification-event-topic-routes", {
    eventType: "write.async.done",
    topicId,
  });
  await busbar.inProject("POST", "/topic-destination-routes", { topicId, destinationId });
  for (const { write, groupRef } of [gone, kept]) {
    const body = { type: "create", mode: "asynchronous", record: { name: `${groupRef} company` } };
    assert.equal((await write("companies", body, { "idempotency-key": `key-${groupRef}` })).status, 200);
    await write("companies", { type: "create", record: { name: `${groupRef} now` } });
    await write("companies", { type: "update", record: { name: `${groupRef} refused` } });
  }
  // Refused for a text of the customer, which the Problem repeats.
  const reported = await busbar.call(
    "GET",
    `/v1/projects/default/operations?groupRef=${MARK}&since=${MARK}text`,
  );
  assert.equal(reported.status, 400, reported.text);
  await gone.write("companies", { type: `${MARK}text`, record: {} });
  for (const customer of [gone, kept]) await customer.proxied(`/crm/v3/objects/${customer.groupRef}`);
  const delivered = "/destinations/hook/deliveries?status=delivered";
  await until(async () => (await busbar.inProject("GET", delivered)).body.results.length === 2);
  await busbar.inProject("POST", "/groups", { groupRef: MARK, groupName: `The ${MARK}` });

  const found = () => rowsWith(busbar, [MARK, gone.connectionId, gone.installationId]);
  // Lines about proxied calls are stored in the background.
  const before = await until(async () => {
    const tables = await found();
    return tables.includes("proxy_usage") && tables.includes("refused_requests") && tables;
  });
  for (const table of ["connections", "operations", "events", "idempotency_keys"])
    assert.ok(before.includes(table), `${table}: ${before.join()}`);
  assert.equal((await busbar.inProject("DELETE", "/groups/nobody")).status, 404);
  const receipt = await busbar.inProject("DELETE", `/groups/${MARK}`);
  assert.equal(receipt.status, 200, receipt.text);
  assert.equal(receipt.body.done, true);
  const { erased } = receipt.body;
  assert.deepEqual(
    [erased.installations, erased.connections, erased.consumers, erased.idempotencyKeys],
    [1, 1, 1, 1],
    receipt.text,
  );
  for (const name of ["operations", "events", "deliveries"]) assert.ok(erased[name] > 0, receipt.text);

  // The audit keeps that this group was erased, and by whom.
  assert.deepEqual(await found(), ["audit_events"]);
  assert.equal((await busbar.inProject("GET", `/groups/${MARK}`)).status, 404);
  await kept.succeed("companies", { type: "create", record: { name: "still here" } });
  const operations = await busbar.inProject("GET", "/operations");
  assert.ok(operations.body.results.length >= 3, operations.text);
});

test("who began to connect and never did is erased", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const app = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["oauth"] };
  await busbar.inProject("POST", "/provider-apps", app);
  for (const groupRef of [MARK, "neighbour"]) {
    const who = { groupRef, groupName: `The ${groupRef}`, consumerRef: `${groupRef}@corp.example` };
    const consent = { projectIdOrName: "default", provider: "hubspot", ...who };
    const begun = await busbar.call("POST", "/v1/oauth-connect", consent);
    assert.equal(begun.status, 200, begun.text);
  }
  assert.deepEqual(await rowsWith(busbar, [MARK]), ["consents"]);
  const { status, body, text } = await busbar.inProject("DELETE", `/groups/${MARK}`);
  assert.deepEqual([status, body.done, body.erased?.consents], [200, true, 1], text);
  assert.deepEqual(await rowsWith(busbar, [MARK]), ["audit_events"]);
  assert.deepEqual(await rowsWith(busbar, ["The neighbour"]), ["consents"]);
  assert.equal((await busbar.inProject("DELETE", `/groups/${MARK}`)).status, 404);
});

test("what people of the group did with customer tokens stays in the audit without their names", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const { sign } = await registerJwtKey(busbar);
  const connect = (groupRef: string) =>
    connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
  const consumer = `${MARK}@corp.example`;
  for (const { groupRef, installationId } of [await connect(MARK), await connect("neighbour")]) {
    const headers = bearer(await sign({ groupRef, consumerRef: groupRef === MARK ? consumer : "neighbour" }));
    const path = `/integrations/hubspot/installations/${installationId}`;
    assert.equal((await busbar.inProject("DELETE", path, undefined, headers)).status, 204);
  }
  const list = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events?operationId=deleteInstallation`;
  const actors = async () =>
    (await busbar.call("GET", list)).body.results.map((one: { actor: object }) => one.actor);
  const neighbour = { kind: "system", id: "consumer:neighbour" };
  assert.deepEqual(await actors(), [neighbour, { kind: "system", id: `consumer:${consumer}` }]);
  await eraseWhole(busbar, MARK);
  assert.deepEqual(await actors(), [neighbour, { kind: "system" }]);
  assert.deepEqual(await rowsWith(busbar, [consumer]), []);
});

test("a person goes whose connection was deleted before, or taken over by another one, and one of other groups stays", async (t) => {
  const busbar = await openTestBusbar();
  const client = new Client({ connectionString: busbar.connectionString });
  t.after(async () => {
    await client.end();
    await busbar.stop();
  });
  await client.connect();
  const [first, both] = [`${MARK}-admin`, "neighbour-admin"];
  const connect = (groupRef: string) =>
    connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
  const { connectionId, installationId } = await connect(MARK);
  await connect("neighbour");
  // Another person connects the same account.
  await client.query(
    "update connections set consumer_id = (select id from consumers where consumer_ref = $1) where id = $2",
    [both, connectionId],
  );
  const installation = `/integrations/hubspot/installations/${installationId}`;
  assert.equal((await busbar.inProject("DELETE", installation)).status, 204);
  // The connection may have gone with its last installation.
  await busbar.inProject("DELETE", `/connections/${connectionId}`);
  assert.equal((await busbar.inProject("GET", `/connections/${connectionId}`)).status, 404);
  const receipt = await busbar.inProject("DELETE", `/groups/${MARK}`);
  assert.deepEqual([receipt.body.done, receipt.body.erased?.consumers], [true, 1], receipt.text);
  // The audit keeps what was done, and when.
  const left = await rowsWith(busbar, [first, connectionId]);
  assert.deepEqual(
    left.filter((table) => table !== "audit_events"),
    [],
  );
  assert.ok((await rowsWith(busbar, [both])).includes("consumers"));
});

test("a refused request whose path spells the group in another way goes, and an erasure of nobody is not in the audit", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const groupRef = `${MARK}@corp.example`;
  await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
  const { key } = (await busbar.inProject("POST", "/api-keys", { label: "reports", scopes: ["read-only"] }))
    .body;
  for (const spelled of [groupRef, groupRef.replace("@", "%40"), groupRef.replace("m", "%6d")])
    assert.equal(
      (await busbar.inProject("DELETE", `/groups/${spelled}`, undefined, { "x-api-key": key })).status,
      403,
    );
  await until(async () => (await busbar.inProject("GET", "/requests")).body.results.length === 3);
  await eraseWhole(busbar, groupRef);
  assert.deepEqual(await rowsWith(busbar, [groupRef, "corp.example"]), ["audit_events"]);

  const list = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events?operationId=deleteGroup`;
  const { results } = (await busbar.call("GET", list)).body;
  assert.ok(results.length > 0);
  assert.equal((await busbar.inProject("DELETE", "/groups/nobody")).status, 404);
  assert.deepEqual((await busbar.call("GET", list)).body.results, results);
});

test("events about approvals of the group go, and those of other groups stay", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());

  const database = await reopenDatabase(t, busbar);
  await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef: MARK });
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from projects where name = 'default'",
  );
  const { projectId, type, data } = sampleEvent("agent.approval.requested", rows[0]?.id ?? "");
  for (const groupRef of [MARK, "neighbour"]) {
    const approval = { ...(data as { approval: object }).approval, groupRef };
    await recordEvent(database.data, { projectId, type, data: { approval } } as NewEvent);
  }
  await eraseWhole(busbar, MARK);
  assert.deepEqual(await rowsWith(busbar, [MARK]), ["audit_events"]);
  assert.ok((await rowsWith(busbar, ["neighbour"])).includes("events"));
});

test("a group of the same name in another project is whole after an erasure, and a name that only another project has is unknown", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const second = await secondProject(busbar);
  const connect = (project: TestBusbar) =>
    connectCustomer(project, { provider: "hubspot", objects: ["companies"], groupRef: MARK });
  const first = await connect(busbar);
  for (const method of ["GET", "DELETE"])
    assert.equal((await second.inProject(method, `/groups/${MARK}`)).status, 404, method);
  const erase = async (by: TestBusbar, kept: Customer) => {
    await kept.succeed("companies", { type: "create", record: { name: "one" } });
    const tables = () => rowsWith(busbar, [kept.connectionId, kept.installationId]);
    const before = await tables();
    const receipt = await by.inProject("DELETE", `/groups/${MARK}`);
    assert.deepEqual([receipt.status, receipt.body.erased?.connections], [200, 1], receipt.text);
    assert.deepEqual(await tables(), before);
    await kept.succeed("companies", { type: "create", record: { name: "another" } });
  };
  // The group that was made later, then the earlier one.
  await connect(second);
  await erase(second, first);
  await erase(busbar, await connect(second));
});

test("an erasure goes on where the last request stopped, and is not done while the customer connects again", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const database = await reopenDatabase(t, busbar);
  const connect = () =>
    connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef: MARK });
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from projects where name = 'default'",
  );
  const projectId = rows[0]?.id ?? "";
  const customer = await connect();
  await customer.succeed("companies", { type: "create", record: { name: "one" } });
  // Events of others: more than one request reads when it has no time.
  await database.pool.query(
    `insert into events (id, project_id, type, data)
      select lpad(to_hex(n), 32, '0')::uuid, $1, 'test', '{}' from generate_series(1, 3500) as n`,
    [projectId],
  );
  const erase = (withinMs: number) => eraseGroup({ database }, { projectId, groupRef: MARK, withinMs });
  let requests = 1;
  while ((await erase(-1)).done === false) {
    requests += 1;
    assert.ok(requests < 20, "each request begins again");
  }
  assert.ok(requests > 3, `${requests} requests`);

  const again = await connect();
  await again.succeed("companies", { type: "create", record: { name: "two" } });
  const blocking = await (database.dataPool ?? database.pool).connect();
  await blocking.query("begin; select from operations for update");
  const erasing = erase(300_000);
  await until(async () => (await busbar.inProject("GET", `/groups/${MARK}`)).body.connectionCount === 0);
  await connect();
  await blocking.query("commit");
  blocking.release();
  assert.equal((await erasing).done, false);
  assert.equal((await erase(300_000)).done, true);
});

test("pushes that failed and name an account of the group go, and the erasure is not done while pushes wait", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const { installationId } = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: MARK,
  });
  const database = await reopenDatabase(t, busbar);
  const { projectId } = busbar;
  await database.pool.query(
    `insert into subscriptions (id, installation_id, object_name, project_id, provider, account_ref, source, due_time)
      values ($1, $2, 'companies', $3, 'hubspot', '4100410', 'webhook', null)`,
    [newId(), installationId, projectId],
  );
  const failed = `insert into received_pushes (project_id, provider, size_bytes, body, attempts, fault)
    select $1, 'hubspot', 2, format('[{"portalId":%s}]', account), 5, 'f' from unnest(array[4100410, 77]) as account`;
  await database.pool.query(failed, [projectId]);
  // It waits longer than the erasure.
  const waiting = `insert into received_pushes (project_id, provider, size_bytes, body, retry_time)
    values ($1, 'hubspot', 2, '[]', now() + interval '1 day')`;
  await database.pool.query(waiting, [projectId]);
  const erase = (withinMs: number) => eraseGroup({ database }, { projectId, groupRef: MARK, withinMs });
  // On a busy machine, one such time may end before the pushes are looked at.
  const left = await until(async () => {
    assert.equal((await erase(500)).done, false);
    const { rows } = await database.pool.query("select body from received_pushes where attempts = 5");
    return rows.length < 2 && rows;
  });
  assert.deepEqual(left, [{ body: '[{"portalId":77}]' }]);
  await database.pool.query("update received_pushes set retry_time = null where attempts = 0");
  assert.equal((await erase(300_000)).done, true);
});

test("a request that was refused before an erasure and is stored after it leaves nothing, one behind it does", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const { installationId, connectionId } = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: MARK,
  });
  const database = await reopenDatabase(t, busbar);
  const { projectId } = busbar;
  const refused = (groupRef: string | null, path: string, detail: string, status = 400) => {
    const caller = { apiKeyId: null, builderId: null, operationId: "write", slug: "bad-request" };
    return { id: newId(), projectId, method: "POST", path, status, detail, groupRef, ...caller };
  };
  // Each process stores what it refused within a second.
  const before = [
    refused(MARK, "/v1/projects/default/operations", "refused"),
    refused(null, "/v1/projects/default/groups", `There is no \`${MARK}\`.`),
    refused(null, `/v1/projects/default/integrations/hubspot/installations/${installationId}`, "refused"),
    // Deleted before the group was.
    refused(null, `/v1/projects/default/connections/${connectionId}`, "There is no such connection.", 404),
    refused("neighbour", "/v1/projects/default/operations", "refused"),
  ];
  await eraseWhole(busbar, MARK);
  await insertRefusedRequests(database.queries, before);
  const left = await rowsWith(busbar, [MARK, installationId, connectionId]);
  assert.deepEqual(left, ["audit_events"]);
  await insertRefusedRequests(database.queries, [
    refused(MARK, "/v1/projects/default/operations", "again"),
    refused(null, `/v1/projects/default/connections/${newId()}`, "There is no such connection.", 404),
  ]);
  const { rows } = await database.pool.query("select group_ref from refused_requests order by id");
  assert.deepEqual(
    rows.map(({ group_ref }) => group_ref),
    ["neighbour", MARK, null],
  );
});

test("a call that ends after its group was erased leaves no line", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: MARK,
  });
  const database = await reopenDatabase(t, busbar);
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from projects where name = 'default'",
  );
  const use = { projectId: rows[0]?.id ?? "", installationId: customer.installationId, timeMs: 0 };
  const call = { method: "GET", path: `/of/${MARK}`, status: 200, durationMs: 1, bytesUp: 0, bytesDown: 0 };
  const stored = async () => (await database.pool.query("select from proxy_usage")).rowCount;
  await insertProxyUsage(database.queries, [{ ...use, ...call }]);
  assert.equal(await stored(), 1);
  await eraseWhole(busbar, MARK);
  await insertProxyUsage(database.queries, [{ ...use, ...call }]);
  assert.equal(await stored(), 0);
});

/** Returns the tables that have a row with one of these texts, whatever its column. */
async function rowsWith(
  { connectionString, dataUrl }: Pick<TestBusbar, "connectionString" | "dataUrl">,
  texts: string[],
): Promise<string[]> {
  const urls = [connectionString, ...(dataUrl === undefined ? [] : [dataUrl])];
  const found = await Promise.all(urls.map((url) => tablesWith(url, texts)));
  return [...new Set(found.flat())].toSorted();
}

async function tablesWith(connectionString: string, texts: string[]): Promise<string[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await client.query(
        `select from "${name}" as one where exists (select from unnest($1::text[]) as word where strpos(one::text, word) > 0) limit 1`,
        [texts],
      );
      if (rowCount) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}
