/** Schema watch over a real Busbar and the sandbox: what is reported, what is not, and what never is. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { SchemaMessageSchema } from "../events/schema-message-schema.ts";
import { createValidator } from "../http/validation.ts";
import { listSchemaBaselines, saveSchemaBaseline } from "../store/integrations/schema-baselines.ts";
import { newId } from "../../ground/ids.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { until } from "../../tests/harness/until.ts";

/** An hour takes 0.3 seconds. */
const MINUTE_MS = "5";
const EVENTS = ["fieldCreated", "fieldDeleted", "fieldChanged"];

interface Message {
  action: string;
  objectName: string;
  installationId: string;
  resultInfo: { numRecords: number };
  result: Record<string, { fieldName: string; oldSchema: object; newSchema: object }[]>;
}

const all = await openDelivering({ BUSBAR_MINUTE_MS: MINUTE_MS });
after(() => all.close());

describe("schema watch", () => {
  let customer: Customer;
  let destination: { id: string; name: string };
  before(async () => {
    destination = await drawRoute(all.busbar, `${all.sink.url}/schema`, []);
    customer = await connectCustomer(all.busbar, {
      provider: "hubspot",
      manifest: manifest(EVENTS),
      integration: "crm",
      groupRef: "acme",
    });
    await checks(2);
  });

  const manifest = (events: string[] | undefined, more = "") => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: ${destination.name}
          schedule: "0 0 29 2 *"
          requiredFields: [{ fieldName: email }]
          enabled: always
${more}${
    events
      ? `    watchSchema:
      destination: ${destination.name}
      schedule: "0 * * * *"
      allObjects: { ${events.map((name) => `${name}: { enabled: always }`).join(", ")} }
`
      : ""
  }`;
  const deploy = async (events: string[] | undefined, more?: string) => {
    const sourceYaml = manifest(events, more);
    const deployed = await all.busbar.inProject("PUT", "/integrations:batch?destructive=true", {
      sourceYaml,
    });
    assert.equal(deployed.status, 200, deployed.text);
  };
  const requests = (object = "contacts") =>
    all.busbar.sandbox
      .requests({ provider: "hubspot" })
      .filter(({ method, path }) => method === "GET" && path.endsWith(`/properties/2026-03/${object}`))
      .length;
  /** Waits until the object was checked so many times more: what was there before the first of them has been seen. */
  const checks = async (count: number, object?: string) => {
    const known = requests(object);
    await until(() => requests(object) >= known + count);
  };
  /** A message that comes again, as on a busy machine, counts once. */
  const messages = () => {
    const byId = new Map<string, Message>();
    for (const { headers, message } of all.sink.at("/schema")) {
      const id = String(headers["webhook-id"]);
      if (!byId.has(id)) byId.set(id, message as unknown as Message);
    }
    return [...byId.values()].filter(({ action }) => action === "schema.watch");
  };
  const nextMessage = async (known: number) =>
    (await until(() => messages().length > known && messages())).at(known);
  /** Changes the account as its admin does in HubSpot. */
  const inHubSpot = async (method: string, path: string, body?: object) => {
    const { url, mintToken } = all.busbar.sandbox.hubspot;
    const answer = await fetch(`${url}/crm/v3/properties/${path}`, {
      method,
      headers: { authorization: `Bearer ${mintToken().accessToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, await answer.text());
  };
  const property = (name: string, label = name) => ({
    name,
    label,
    type: "string",
    fieldType: "text",
    groupName: "contactinformation",
  });

  test("an object whose fields the account refuses makes the installation unhealthy, until they can be read", async () => {
    const find = async (): Promise<{ type: string; detail: string; since: string } | undefined> => {
      const path = `/integrations/crm/installations/${customer.installationId}`;
      const { body } = await all.busbar.inProject("GET", path);
      assert.equal(body.healthStatus, body.healthReasons.length > 0 ? "unhealthy" : "healthy");
      return body.healthReasons.find(({ name }: { name: string }) => name === "person");
    };
    all.busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/properties/2026-03/contacts",
      status: 403,
      body: {
        status: "error",
        category: "MISSING_SCOPES",
        message: "This app needs crm.schemas.contacts.read",
      },
      count: 1_000,
    });
    const reason = await until(find);
    assert.equal(reason.type, "object");
    assert.match(
      reason.detail,
      /^Its fields cannot be read.* needs crm\.schemas\.contacts\.read\. They are asked/,
    );
    await checks(2);
    assert.deepEqual(await find(), reason, "since the first refusal");
    await until(async () => {
      const query = `type=installation.health.changed&installationId=${customer.installationId}&pageSize=1`;
      const [newest] = (await all.busbar.inProject("GET", `/events?${query}`)).body.results;
      return newest !== undefined;
    });
    all.busbar.sandbox.clearFaults();
    await until(async () => (await find()) === undefined);
    assert.deepEqual(messages(), []);
  });

  test("the first check reports nothing; then each check reports what was created, changed and deleted", async () => {
    assert.deepEqual(messages(), []);
    await inHubSpot("POST", "contacts", property("tier", "Tier"));
    const created = await nextMessage(0);
    createValidator(SchemaMessageSchema, "body")(created);
    assert.deepEqual(created?.result, {
      createdFields: [
        {
          fieldName: "tier",
          displayName: "Tier",
          valueType: "string",
          providerType: "string",
          readOnly: false,
          isCustom: true,
          isRequired: false,
        },
      ],
    });
    const { result: _result, ...head } = created;
    const { installationUpdateTime, ...members } = head as unknown as Record<string, unknown>;
    assert.ok(!Number.isNaN(Date.parse(String(installationUpdateTime))));
    assert.deepEqual(members, {
      action: "schema.watch",
      projectId: all.busbar.projectId,
      provider: "hubspot",
      groupRef: "acme",
      groupName: "acme",
      consumerRef: "acme-admin",
      consumerName: "acme-admin",
      installationId: customer.installationId,
      objectName: "person",
      rawObjectName: "contacts",
      workspace: "acme",
      resultInfo: { type: "inline", numRecords: 1 },
    });
    await inHubSpot("PATCH", "contacts/tier", { label: "Level", description: "How much they buy." });
    const changed = await nextMessage(1);
    const [change] = changed?.result["changedFields"] ?? [];
    assert.deepEqual(change?.oldSchema, created.result["createdFields"]?.[0]);
    assert.deepEqual(change?.newSchema, {
      ...change?.oldSchema,
      displayName: "Level",
      description: "How much they buy.",
    });
    await inHubSpot("DELETE", "contacts/tier");
    const deleted = await nextMessage(2);
    assert.deepEqual(deleted?.result, { deletedFields: [change?.newSchema] });
    const logged = await all.busbar.inProject(
      "GET",
      `/integrations/crm/installations/${customer.installationId}/proxy-calls`,
    );
    assert.match(JSON.stringify(logged.body), /properties\/2026-03\/contacts/);
  });

  test("an answer that is an error or has no fields is never reported as deletions", async () => {
    const known = messages().length;
    for (const fault of [
      { status: 500 },
      { status: 403, body: { category: "MISSING_SCOPES" } },
      { status: 404 },
      { status: 200, body: { results: [] } },
      { status: 200, body: "<html>maintenance</html>" },
      { status: 429, headers: { "retry-after": "0" } },
    ]) {
      all.busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/contacts", ...fault, count: 2 });
    }
    await until(() => all.busbar.sandbox.faults().every(({ remaining }) => remaining === 0));
    all.busbar.sandbox.clearFaults();
    await inHubSpot("POST", "contacts", property("after_errors"));
    const next = await nextMessage(known);
    assert.deepEqual(Object.keys(next?.result ?? {}), ["createdFields"]);
    assert.equal(next?.resultInfo.numRecords, 1);
  });

  test("only the kinds that the manifest enables are reported, and others are not reported later", async () => {
    await deploy(["fieldDeleted"]);
    // A check that began before has ended.
    await checks(2);
    const known = messages().length;
    await inHubSpot("POST", "contacts", property("quiet"));
    await checks(3);
    await deploy(EVENTS);
    await checks(2);
    assert.equal(messages().length, known);
    await inHubSpot("DELETE", "contacts/quiet");
    assert.deepEqual(Object.keys((await nextMessage(known))?.result ?? {}), ["deletedFields"]);
  });

  test("an object added later, and another account, begin with a silent check", async () => {
    const known = messages().length;
    const companies = `        - objectName: companies
          destination: ${destination.name}
          schedule: "0 0 29 2 *"
          requiredFields: [{ fieldName: name }]
          enabled: always
`;
    await deploy(EVENTS, companies);
    await checks(2, "companies");
    const { queries } = all.database;
    await queries.updateTable("schemaBaselines").set({ account: "another", fields: "[]" }).execute();
    await checks(2, "companies");
    assert.equal(messages().length, known);
    await inHubSpot("POST", "companies", { ...property("size"), groupName: "companyinformation" });
    assert.equal((await nextMessage(known))?.objectName, "companies");
    await deploy(EVENTS);
    const baselines = () => listSchemaBaselines(queries, customer.installationId);
    await until(async () => !(await baselines()).has("companies"));
  });

  test("known fields become those of an account whose name becomes known: later, another account begins anew", async () => {
    const known = messages().length;
    const { connectionId, installationId } = customer;
    await all.database.queries.updateTable("schemaBaselines").set({ account: connectionId }).execute();
    const change = { updateMask: ["providerWorkspaceRef"], connection: { providerWorkspaceRef: "named" } };
    assert.equal((await all.busbar.inProject("PATCH", `/connections/${connectionId}`, change)).status, 200);
    await until(async () => {
      const baselines = await listSchemaBaselines(all.database.queries, installationId);
      return baselines.get("contacts")?.account === "named";
    });
    assert.equal(messages().length, known);
  });

  /** A check that is under way is due after its lease. */
  const isUnderWay = async () => {
    const checking = await all.database.queries.selectFrom("schemaLooks").select("dueTime").execute();
    return checking.some(({ dueTime }) => dueTime.getTime() > Date.now() + 10_000);
  };

  test("bad credentials and a disabled destination skip the check, and what changed meanwhile is reported afterwards", async () => {
    const { queries } = all.database;
    const known = messages().length;
    const stop = async (stopped: boolean) => {
      await queries
        .updateTable("destinations")
        .set({ disabledTime: stopped ? new Date() : null })
        .execute();
    };
    const nextTime = async () =>
      Number((await queries.selectFrom("schemaWatches").select("nextTime").executeTakeFirst())?.nextTime);
    /** Checks are spread over an hour, so what a tick starts is over two ticks later. */
    const ticks = async (count: number) => {
      const from = await nextTime();
      await until(async () => (await nextTime()) >= from + (count - 0.5) * 60 * Number(MINUTE_MS));
    };
    await stop(true);
    await ticks(3);
    // A check that began before has ended.
    await until(async () => !(await isUnderWay()));
    const before = requests();
    await inHubSpot("POST", "contacts", property("meanwhile"));
    await ticks(3);
    assert.equal(requests(), before);
    await queries.updateTable("connections").set({ status: "bad_credentials" }).execute();
    // A check that found the connection working may look for its destination only now.
    await ticks(3);
    await until(async () => !(await isUnderWay()));
    await stop(false);
    await ticks(3);
    assert.equal(requests(), before);
    await queries.updateTable("connections").set({ status: "working" }).execute();
    const next = await nextMessage(known);
    assert.equal(next?.result["createdFields"]?.[0]?.fieldName, "meanwhile");
  });

  test("two processes that compared with the same baseline report once", async () => {
    const { queries } = all.database;
    const save = (comparedVersion: number | undefined) => {
      const message = {
        id: newId(),
        projectId: all.busbar.projectId,
        type: "schema.watch",
        data: JSON.stringify({ action: "schema.watch", objectName: "race" }),
        destinationId: destination.id,
      };
      const { installationId } = customer;
      const row = { installationId, objectName: "race", account: "a", fields: [] };
      return saveSchemaBaseline(queries, { ...row, comparedVersion, message });
    };
    const races = () => messages().filter(({ objectName }) => objectName === "race").length;
    // A check forgets the fields of objects that nobody watches, such as this one: without credentials there is none.
    await queries.updateTable("connections").set({ status: "bad_credentials" }).execute();
    await until(async () => !(await isUnderWay()));
    // One that is not due, so that no process claims it.
    await sql`insert into schema_looks (installation_id, integration_id, due_time)
      select id, integration_id, now() + interval '1 day' from installations where id = ${customer.installationId}
      on conflict (installation_id) do update set due_time = excluded.due_time`.execute(queries);
    await Promise.all([save(undefined), save(undefined)]);
    await until(() => races() === 1);
    await save(7);
    await until(async () => (await all.busbar.inProject("GET", "/deliveries")).body.length === 0);
    assert.equal(races(), 1);
    await queries.deleteFrom("schemaLooks").execute();
    await queries.updateTable("connections").set({ status: "working" }).execute();
  });

  test("a deployment without watchSchema ends the watch and forgets the fields", async () => {
    await deploy(undefined);
    const { queries } = all.database;
    const watches = () => queries.selectFrom("schemaWatches").selectAll().execute();
    await until(async () => (await watches()).length === 0);
    await until(async () => (await queries.selectFrom("schemaLooks").selectAll().execute()).length === 0);
    const { installationId } = customer;
    // As a check does that began before the end.
    const row = { installationId, objectName: "late", account: "a", fields: [] };
    await saveSchemaBaseline(queries, { ...row, comparedVersion: undefined, message: undefined });
    const left = await listSchemaBaselines(queries, installationId);
    assert.equal(left.size, 0);
  });

  test("deploying watchSchema no longer warns", async () => {
    const sourceYaml = manifest(EVENTS);
    const { body } = await all.busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.ok(!JSON.stringify(body).includes("watchSchema`"), JSON.stringify(body));
  });
});
