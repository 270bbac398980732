/** What happens to a customer at each step of its move to another shard: changes that its providers report, reads, and what removes it. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StartError } from "../../ground/errors.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openMovingBusbar, type ShardName } from "../harness/moving-busbar.ts";
import { signIn } from "../harness/people.ts";
import { secondProject } from "../harness/second-project.ts";
import { addPushedApp } from "../harness/signed-push.ts";
import { until } from "../harness/until.ts";

const SECRET = "the-apps-secret";
const GROUP = { groupRef: "mover" };
const SHARDS: ShardName[] = ["main", "a", "b"];

/** Returns the part of a report that names the step. */
const nameStep = (text: string): string => text.replace(/^.*?: /, "").replace(/ \(.*$/, "");

const buildReading = (integration: string, provider: string, object: string, more: string) => `
specVersion: 1.0.0
integrations:
  - name: ${integration}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: changes
          requiredFields: [{ fieldName: ${provider === "hubspot" ? "email" : "name"} }]
${more}`;

const subscribeTo = (object: string) => `
    subscribe:
      objects:
        - objectName: ${object}
          destination: changes
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
`;

async function openScene(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openMovingBusbar(t, env);
  const { busbar, sink } = scene;
  busbar.sandbox.hubspot.setLimits("off");
  busbar.sandbox.salesforce.setLimits("off");
  await addWebhook(busbar, "changes", `${sink.url}/changes`);
  /** Ids of the records that were delivered, each as often as it was. */
  const listArrived = (): string[] =>
    sink
      .messagesAt("/changes")
      .flatMap(({ body }) => JSON.parse(body).result.map(({ id }: { id: string }) => id));
  const haveArrived = (ids: string[]): boolean => {
    const arrived = new Set(listArrived());
    return ids.every((id) => arrived.has(id));
  };
  /** Counts rows of tables that name one of these ids, in each database. */
  const countRows = async (column: string, ids: string[], tables: string[]) => {
    const found: string[] = [];
    for (const shard of SHARDS) {
      const client = await scene.connect(shard);
      for (const table of tables) {
        const { rowCount } = await client.query(`select from ${table} where ${column} = any($1::uuid[])`, [
          ids,
        ]);
        if (rowCount) found.push(`${rowCount} ${table} in ${shard}`);
      }
    }
    return found;
  };
  return { ...scene, listArrived, haveArrived, countRows };
}

test("a change that is pushed or streamed at any step of a move is told once", async (t) => {
  const { busbar, move, listArrived, haveArrived } = await openScene(t, {
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.1",
  });
  const { sandbox } = busbar;
  await addPushedApp(busbar, SECRET);
  await busbar.inProject("POST", "/provider-apps", {
    provider: "salesforce",
    clientId: "app",
    clientSecret: "secret",
  });
  const installed: Customer[] = [];
  for (const [integration, provider, object] of [
    ["pushed", "hubspot", "contacts"],
    ["streamed", "salesforce", "account"],
  ] as const)
    installed.push(
      await connectCustomer(busbar, {
        ...GROUP,
        provider,
        integration,
        manifest: buildReading(integration, provider, object, subscribeTo(object)),
      }),
    );
  const areActive = async () => {
    for (const { integration, installationId } of installed) {
      const path = `/integrations/${integration}/installations/${installationId}/subscriptions`;
      const { status, body } = await busbar.inProject("GET", path);
      if (status !== 200 || body[0]?.state !== "active") return false;
    }
    return true;
  };
  await until(areActive);
  const targetUrl = `${new URL(busbar.server.urls.base).origin}/subscribe/v1/projects/default/integrations/pushed`;
  sandbox.hubspot.webhooks.set({ targetUrl, clientSecret: SECRET });
  const changed: string[] = [];
  const change = () => {
    changed.push(
      sandbox.hubspot.account.put("contacts", {
        values: { email: `n${changed.length}@example.com` },
        stamp: true,
      }),
    );
    changed.push(
      sandbox.salesforce.account.put("Account", { values: { Name: `n ${changed.length}` }, stamp: true }),
    );
  };
  change();
  await until(() => haveArrived(changed));
  const steps: string[] = [];
  for (const to of ["a", "b", null])
    await move(to, (text) => {
      steps.push(nameStep(text));
      change();
    });
  assert.ok(new Set(steps).size >= 9, steps.join());
  change();
  await until(() => haveArrived(changed));
  await until(areActive);
  const arrived = Map.groupBy(listArrived(), (id) => id);
  assert.deepEqual(
    changed.filter((id) => arrived.get(id)?.length !== 1),
    [],
  );
});

test("a backfill and the reads by schedule go on in the new shard, and bring each record and each change", async (t) => {
  const { busbar, move, listArrived, haveArrived } = await openScene(t, { BUSBAR_MINUTE_MS: "50" });
  const { account } = busbar.sandbox.hubspot;
  const put = (values: Record<string, string>, id?: string) =>
    account.put("contacts", { ...(id !== undefined && { id }), values, stamp: true });
  const all = Array.from({ length: 500 }, (_, nth) => put({ email: `n${nth}@example.com` }));
  await connectCustomer(busbar, {
    ...GROUP,
    provider: "hubspot",
    integration: "read",
    manifest: buildReading(
      "read",
      "hubspot",
      "contacts",
      '          schedule: "*/10 * * * *"\n          backfill: { defaultPeriod: { fullHistory: true } }\n',
    ),
    content: { read: { objects: { contacts: { objectName: "contacts" } } } },
  });
  await until(() => listArrived().length > 0);
  await move("a");
  await until(() => haveArrived(all));
  let nth = 0;
  const change = () => all.push(put({ email: `later${(nth += 1)}@example.com` }));
  await move("b", change);
  change();
  await until(() => haveArrived(all));
});

test("an installation that is deleted at any step of a move is refused or gone, and then leaves nothing to work on in any shard", async (t) => {
  const { busbar, move, countRows } = await openScene(t);
  const names = Array.from({ length: 12 }, (_, nth) => `crm${nth}`);
  const [first = "", ...others] = names;
  const manifest = names
    .map((name) => buildReading(name, "hubspot", "contacts", subscribeTo("contacts")))
    .join("")
    .replaceAll(/\nspecVersion: 1.0.0\nintegrations:/g, "");
  const { installationId } = await connectCustomer(busbar, {
    ...GROUP,
    provider: "hubspot",
    integration: first,
    manifest: `specVersion: 1.0.0\nintegrations:${manifest}`,
  });
  const paths = [{ path: `/integrations/${first}/installations/${installationId}`, id: installationId }];
  for (const name of others) {
    const { status, body, text } = await busbar.inProject("POST", `/integrations/${name}/installations`, {
      ...GROUP,
      config: { content: { provider: "hubspot" } },
    });
    assert.equal(status, 201, text);
    paths.push({ path: `/integrations/${name}/installations/${body.id}`, id: body.id });
  }
  const answers: Promise<number>[] = [];
  const steps: string[] = [];
  await move("a", (text) => {
    const next = paths[answers.length];
    if (!next || steps.includes(nameStep(text))) return;
    steps.push(nameStep(text));
    answers.push(busbar.inProject("DELETE", next.path).then(({ status }) => status));
  });
  const statuses = await Promise.all(answers);
  assert.ok(statuses.length >= 9, steps.join());
  assert.deepEqual(
    statuses.filter((status) => status !== 204 && status !== 503),
    [],
  );
  assert.ok(statuses.includes(204) && statuses.includes(503), statuses.join());
  for (const [nth, status] of statuses.entries())
    if (status === 503) assert.equal((await busbar.inProject("DELETE", paths[nth]?.path ?? "")).status, 204);
  const ids = paths.slice(0, statuses.length).map(({ id }) => id);
  const working = [
    "read_objects",
    "read_runs",
    "read_fingerprints",
    "subscriptions",
    "subscription_events",
    "writes",
  ];
  await until(async () => (await countRows("installation_id", ids, working)).length === 0);
});

test("a customer who is erased after a move that was broken off, and completed, leaves no row in any shard", async (t) => {
  const { busbar, move, breakOff, connect } = await openScene(t);
  const customer = await connectCustomer(busbar, { ...GROUP, provider: "hubspot", objects: ["companies"] });
  await customer.succeed("companies", { type: "create", record: { name: "Mine" } });
  for (const at of ["closing the gate", "opening the gate"]) {
    await breakOff("a", at);
    assert.equal((await busbar.inProject("DELETE", "/groups/mover")).status, 503, at);
  }
  await move("a");
  const erase = () => busbar.inProject("DELETE", "/groups/mover");
  await until(async () => (await erase()).status === 404 || undefined);
  for (const shard of SHARDS) {
    const client = await connect(shard);
    for (const table of ["operations", "events", "proxy_usage", "writes", "seen_records"]) {
      const { rows } = await client.query(
        `select count(*)::integer as count from ${table} as entry where entry::text like $1 or entry::text like '%mover%'`,
        [`%${customer.installationId}%`],
      );
      assert.equal(rows[0].count, 0, `${table} in ${shard}`);
    }
  }
});

test("a project that is deleted at a step of a move of its customer leaves neither operations nor events in any shard", async (t) => {
  const { busbar, move, countRows } = await openScene(t);
  for (const at of ["copying fingerprints", "switching", "moving what has ended"]) {
    const project = await secondProject(busbar);
    const customer = await connectCustomer(project, {
      ...GROUP,
      provider: "hubspot",
      objects: ["companies"],
    });
    await customer.succeed("companies", { type: "create", record: { name: "Mine" } });
    const owner = await signIn(busbar);
    const { body } = await busbar.call("GET", "/v1/projects/second", undefined, owner);
    const removed = await project.inProject(
      "DELETE",
      `/integrations/hubspot/installations/${customer.installationId}`,
    );
    assert.equal(removed.status, 204, removed.text);
    let deleting: Promise<number> | undefined;
    await move("a", (text) => {
      if (text.includes(at))
        deleting = busbar
          .call("DELETE", `/v1/projects/${body.id}`, undefined, owner)
          .then(({ status }) => status);
    }).catch((error: unknown) => assert.ok(error instanceof StartError, `${at}: ${String(error)}`));
    assert.equal(await deleting, 204, at);
    // Lines of proxied calls are left to retention.
    await until(
      async () => (await countRows("project_id", [body.id], ["operations", "events"])).length === 0,
    );
    await assert.rejects(move("a"), /there is no customer mover/, at);
  }
});
