/** "Why did the contact 502 not arrive?": for each cause, the trace names it with its remedy, by API and command line. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import type { Answer } from "../harness/client.ts";
import { runCli } from "../harness/command-line.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const CUSTOMERS = ["filtered", "paused", "revoked", "refused", "disabled", "unread", "recent"] as const;

const MANIFEST = `
specVersion: 1.0.0
integrations:
${CUSTOMERS.map(
  (name) => `
  - name: ${name}
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: ${name}
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: email }]
          ${name === "recent" ? "" : "backfill: { defaultPeriod: { fullHistory: true } }"}
        - objectName: companies
          destination: ${name}
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: name }]`,
).join("")}
  - name: reported
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: recent, requiredFields: [{ fieldName: email }] }] }
    subscribe:
      objects:
        - objectName: contacts
          destination: recent
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
  - name: other
    provider: hubspot
    read: { objects: [{ objectName: deals, destination: recent, requiredFields: [{ fieldName: dealname }] }] }
`;

const sink = await openSink();
after(() => sink.close());

describe("a record that did not arrive", () => {
  let busbar: TestBusbar;
  const ids = new Map<string, string>();
  before(async () => {
    sink.answer = ({ path }, response) => void response.writeHead(path === "/refused" ? 400 : 200).end("no");
    busbar = await openTestBusbar({
      env: { BUSBAR_MINUTE_MS: "60000", BUSBAR_WEBHOOK_RETRY_SECONDS: "3600" },
    });
    busbar.sandbox.hubspot.setLimits("off");
    for (const name of CUSTOMERS) {
      await addWebhook(busbar, name, `${sink.url}/${name}`);
    }
    const filters = [{ fieldName: "city", operator: "eq", value: "Berlin" }];
    for (const name of CUSTOMERS) {
      const contacts = name === "filtered" ? { fieldFilters: filters } : {};
      const { installationId } = await connectCustomer(busbar, {
        provider: "hubspot",
        groupRef: name,
        manifest: MANIFEST,
        integration: name,
        content: { read: { objects: name === "unread" ? { companies: {} } : { contacts } } },
      });
      ids.set(name, installationId);
    }
    for (const name of ["paused", "revoked", "refused", "disabled"])
      await until(async () => (await ask(name, "501")).status === 200);
  });
  after(async () => {
    await busbar?.stop();
  });

  const ask = (name: string, recordId: string): Promise<Answer> =>
    busbar.inProject(
      "GET",
      `/integrations/${name}/installations/${ids.get(name)}/records/contacts/${recordId}`,
    );

  async function explain(name: string, recordId: string): Promise<string[]> {
    const { status, body } = await ask(name, recordId);
    return status === 404
      ? (body.causes ?? [])
      : body.obstacles.map(({ detail, remedy }: Answer["body"]) => `${detail} ${remedy}`);
  }

  async function printTrace(name: string, recordId: string): Promise<string> {
    const env = { BUSBAR_URL: new URL(busbar.server.urls.base).origin, BUSBAR_API_KEY: busbar.apiKey };
    const { stdout, stderr } = await runCli(["trace", "contacts", recordId, "--group", name], {
      env: { ...env, BUSBAR_PROJECT: "default" },
    });
    return `${stdout}${stderr}`.replace(/\s+→?\s*/g, " ");
  }

  /** Asserts that the API comes to report these words, and that the command line says the same: a scheduled read changes both. */
  const tells = async (name: string, recordId: string, ...words: RegExp[]): Promise<void> => {
    let seen = "";
    await until(async () => {
      const lines = await explain(name, recordId);
      seen = lines.join("\n");
      if (!words.every((one) => one.test(seen))) return false;
      const printed = await printTrace(name, recordId);
      seen += `\nprinted:\n${printed}`;
      return lines.every((one) => printed.includes(one.slice(0, 60)));
    }).catch((error: unknown) => {
      throw new Error(`${name}: ${seen}`, { cause: error });
    });
  };

  test("because a filter keeps it out", () =>
    tells("filtered", "502", /reads only records with `city` = "Berlin".* Compare the record/));

  test("or its deletion did not, because deletions are not read", async () => {
    await tells(
      "filtered",
      "502",
      /Deletions of `contacts` are neither read nor subscribed to.* `deletedRecords: always`/,
    );
  });

  test("because the object is not in the configuration", () =>
    tells("unread", "502", /neither reads `contacts` nor subscribes.* Add it/));

  test("because it changed last before the object was installed", () =>
    tells(
      "recent",
      "502",
      /no backfill: records that last changed before .* `--since`/,
      /Changes up to .* next read is due at/,
    ));

  test("because only changes are subscribed to, also where the customer has another installation without the object", async () => {
    const { groupRef } = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "reported",
      manifest: MANIFEST,
      integration: "other",
      content: { read: { objects: { deals: {} } } },
    });
    const content = { provider: "hubspot", read: { objects: { contacts: { disabled: true } } } };
    const installed = await busbar.inProject("POST", "/integrations/reported/installations", {
      groupRef,
      config: { content },
    });
    assert.equal(installed.status, 201, installed.text);
    ids.set("reported", installed.body.id);
    await tells(
      "reported",
      "777",
      /`contacts` is not read, only its changes are subscribed to; changes were looked for up to .* next change/,
    );
    // Of the installation with the object, and of no other one.
    assert.doesNotMatch(await printTrace("reported", "777"), /has no object/);
  });

  test("because nobody has ever seen it", () =>
    tells("refused", "999", /Changes up to .* next read is due at/));

  test("because none of the customer's installations has ever seen it: each cause is printed once", async () => {
    const content = { provider: "hubspot", read: { objects: { contacts: {} } } };
    const also = { groupRef: "recent", config: { content } };
    const installed = await busbar.inProject("POST", "/integrations/unread/installations", also);
    assert.equal(installed.status, 201, installed.text);
    const printed = await printTrace("recent", "999");
    assert.equal(printed.match(/There was no backfill/g)?.length, 1, printed);
    assert.equal(printed.match(/Changes up to/g)?.length, 2, printed);
    for (const name of ["recent", "unread"]) assert.match(printed, new RegExp(`installation of ${name} `));
  });

  test("because reading is paused", async () => {
    const paused = await busbar.call(
      "POST",
      `/read/v1/projects/default/integrations/paused/installations/${ids.get("paused")}:pause`,
      { note: "moving" },
    );
    assert.equal(paused.status, 204);
    await tells("paused", "501", /paused by a request at .*: moving\. Go on with `:unpause`/);
    await tells("paused", "999", /no read is planned while it is paused/);
  });

  test("because its receiver refuses it", async () => {
    await tells("refused", "501", /destination `refused`: It is failing.* Mend the receiver/);
    const { body } = await ask("refused", "501");
    assert.equal(body.messages[0].attempts[0].status, 400);
  });

  test("because its destination is disabled", async () => {
    const statuses: Record<string, number> = { "/refused": 400, "/disabled": 410 };
    sink.answer = ({ path }, response) => void response.writeHead(statuses[path] ?? 200).end("no");
    busbar.sandbox.hubspot.account.put("contacts", { id: "502", values: { city: "Bonn" }, stamp: true });
    const read = await busbar.call(
      "POST",
      "/read/v1/projects/default/integrations/disabled/objects/contacts",
      {
        groupRef: "disabled",
        mode: "async",
        sinceTimestamp: "2000-01-01T00:00:00Z",
      },
    );
    assert.ok(read.status < 300, read.text);
    await tells("disabled", "502", /destination `disabled`: It is disabled.* enable the destination/);
  });

  test("because the customer has revoked the connection", async () => {
    busbar.sandbox.hubspot.revokeTokens();
    await busbar.call("POST", "/read/v1/projects/default/integrations/revoked/objects/contacts", {
      groupRef: "revoked",
      mode: "async",
    });
    await tells("revoked", "501", /connection `hubspot`: The provider refuses.* connects the account again/);
  });
});

test("a record that did not arrive because no process has the role worker: trace, /readyz and doctor say so", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
  t.after(() => busbar.stop());
  await addWebhook(busbar, "unread", "https://example.com/unread");
  const { installationId } = await connectCustomer(busbar, {
    provider: "hubspot",
    groupRef: "globex",
    manifest: MANIFEST.replace(/destination: \w+/g, "destination: unread"),
    integration: "unread",
    content: { read: { objects: { contacts: {} } } },
  });
  const path = `/integrations/unread/installations/${installationId}/records/contacts/502`;
  const { causes } = (await busbar.inProject("GET", path)).body;
  assert.match(causes[0], /No process of this Busbar has the role `worker`/);
  assert.ok(!causes.some((cause: string) => cause.includes("neither reads")), causes.join("\n"));

  const origin = new URL(busbar.server.urls.base).origin;
  assert.deepEqual((await busbar.call("GET", "/readyz")).body, { status: "ok", hasWorker: false });
  const env = { BUSBAR_URL: origin, BUSBAR_API_KEY: busbar.apiKey, BUSBAR_PROJECT: "default" };
  const { stdout, code } = await runCli(["doctor"], { env });
  assert.match(stdout, /✗ worker: no process has the role worker/);
  assert.match(stdout, /✗ installations: 1 waits? for a process with the role worker \(since 20/);
  assert.equal(code, 1);
});

test("a customer is unhealthy once no process has had the role worker for 30 s, since the last one ended, and healthy with the next", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
  t.after(() => busbar.stop());
  await addWebhook(busbar, "crm", "https://example.com/");
  const { installationId, groupRef } = await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: MANIFEST.replace(/destination: \w+/g, "destination: crm"),
    integration: "unread",
    content: { read: { objects: { contacts: {} } } },
  });
  const get = async (path: string) => (await busbar.inProject("GET", path)).body;
  const look = () => get(`/integrations/unread/installations/${installationId}`);
  const never = await look();
  assert.equal(never.healthStatus, "unhealthy");
  const [reason] = never.healthReasons;
  assert.deepEqual([reason.type, reason.name], ["worker", "worker"]);
  assert.match(reason.detail, /No process of this Busbar has the role `worker`.* until one starts/);
  assert.equal(reason.since, never.createTime);
  const [group] = (await get("/groups?healthStatus=unhealthy")).results;
  assert.deepEqual([group.groupRef, group.healthReasons], [groupRef, never.healthReasons]);
  assert.equal((await get("/installations:search?healthStatus=unhealthy")).results.length, 1);

  const worker = await busbar.sibling({ BUSBAR_ROLES: "worker" });
  assert.deepEqual((await look()).healthReasons, []);
  const beforeStop = Date.now();
  await worker.stop();
  // The next version starts within seconds: a restart is not an outage of every customer.
  assert.deepEqual((await look()).healthReasons, []);
  assert.equal((await busbar.call("GET", "/readyz")).body.hasWorker, false);
  const client = new Client({ connectionString: busbar.connectionString });
  await client.connect();
  await client.query("update readiness set worker_seen_time = worker_seen_time - interval '31 seconds'");
  await client.end();
  const after = await look();
  assert.deepEqual(
    after.healthReasons.map(({ type }: { type: string }) => type),
    ["worker"],
  );
  assert.ok(Date.parse(after.healthReasons[0].since) >= beforeStop - 32_000, after.healthReasons[0].since);
  assert.deepEqual((await get("/events?type=installation.health.changed")).results, []);
});
