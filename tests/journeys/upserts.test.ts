/** Upserts: one record for each value of the key, by the same rules as other writes. */
import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";

import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { until } from "../harness/until.ts";
import { assertProblem } from "./assert-problem.ts";

const DESCRIBED = `
specVersion: 1.0.0
integrations:
  - name: desk
    provider: zendeskSupport
    write: { objects: [{ objectName: users }, { objectName: tickets }] }
  - name: sales
    provider: pipedrive
    write: { objects: [{ objectName: persons }] }
`;

const desk = await openTestVendor("zendeskSupport");
const busbar = await shareTestBusbar({
  env: { BUSBAR_MINUTE_MS: "30", BUSBAR_RETRY_BASE_SECONDS: "0.02" },
  providers: { zendeskSupport: { baseURL: desk.url } },
});
after(() => desk.close());

busbar.sandbox.hubspot.setLimits("off");
const hubspot = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
const salesforce = await connectCustomer(busbar, { provider: "salesforce", objects: ["Contact"] });
assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: DESCRIBED })).status, 200);
for (const [provider, integration] of [
  ["zendeskSupport", "desk"],
  ["pipedrive", "sales"],
] as const) {
  const connection = {
    provider,
    groupRef: "acme",
    consumerRef: "ada",
    oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
    ...(provider === "zendeskSupport" && { providerWorkspaceRef: "acme" }),
  };
  assert.equal((await busbar.inProject("POST", "/connections:generate", connection)).status, 201);
  const installed = await busbar.inProject("POST", `/integrations/${integration}/installations`, {
    groupRef: "acme",
    config: { content: { provider } },
  });
  assert.equal(installed.status, 201, installed.text);
}

describe("an upsert", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  const upsert = (more: object) => hubspot.write("contacts", { type: "upsert", key: "email", ...more });
  const dryRun = (record: object) =>
    busbar.call("POST", `/write/v1/projects/default/integrations/hubspot/objects/contacts?dryRun=true`, {
      groupRef: "acme",
      type: "upsert",
      key: "email",
      record,
    });
  const contacts = (email: string) =>
    busbar.sandbox.records("hubspot", "contacts").filter((record) => record["email"] === email);

  test("creates the record, then updates it, and says which", async () => {
    const email = "once@upsert.example";
    const first = await upsert({ record: { email, firstname: "Ada", city: "Ulm" } });
    assert.equal(first.body.result.created, true, first.text);
    const second = await upsert({ record: { email, firstname: "Augusta" } });
    assert.equal(second.body.result.created, false, second.text);
    assert.equal(second.body.result.recordId, first.body.result.recordId);
    const [stored, ...more] = contacts(email);
    assert.deepEqual([stored?.["firstname"], stored?.["city"], more.length], ["Augusta", "Ulm", 0]);
    const operation = await busbar.inProject("GET", `/operations/${second.body.operationId}`);
    assert.equal(operation.body.result, "[contacts] Upserted 1 record");
  });

  test("of a batch names each record's outcome; a key that is repeated is written in its order", async () => {
    const answer = await upsert({
      batch: [
        { record: { email: "b1@upsert.example", firstname: "first" } },
        { record: { email: "b2@upsert.example", no_such_property: "x" } },
        { record: { email: "B1@upsert.example", firstname: "last" } },
      ],
    });
    assert.equal(answer.status, 200, answer.text);
    const results: { success: boolean }[] = answer.body.results;
    assert.deepEqual(
      results.map(({ success }) => success),
      [true, false, true],
    );
    assert.match(answer.body.errors[0].message, /no_such_property/);
    assert.deepEqual(
      contacts("b1@upsert.example").map((record) => record["firstname"]),
      ["last"],
    );
  });

  test("of a dry run shows its request and sends nothing", async () => {
    const answer = await dryRun({ email: "dry@upsert.example" });
    assert.equal(answer.body.requests[0].path, "/crm/objects/2026-03/contacts/batch/upsert", answer.text);
    assert.equal(busbar.sandbox.requests({ provider: "hubspot" }).length, 0);
  });

  test("in the background keeps the order of its key, and is repeated after a lost answer", async () => {
    const path = "/crm/objects/2026-03/contacts/batch/upsert";
    busbar.sandbox.addFault({ provider: "hubspot", path, reset: "after", count: 1 });
    const email = "queue@upsert.example";
    const ids: string[] = [];
    for (const firstname of ["1", "2", "3"]) {
      const accepted = await upsert({ mode: "asynchronous", record: { email, firstname } });
      assert.equal(accepted.status, 200, accepted.text);
      ids.push(accepted.body.operationId);
    }
    for (const id of ids)
      await until(async () => (await busbar.inProject("GET", `/operations/${id}`)).body.status === "success");
    assert.deepEqual(
      contacts(email).map((record) => record["firstname"]),
      ["3"],
    );
  });

  test("withholds what only a create or only an update may write", async () => {
    const value = {
      city: { writeOnUpdate: "never" },
      company: { writeOnCreate: "never" },
      jobtitle: { writeOnUpdate: "ifEmpty" },
    };
    const patched = await busbar.inProject("PATCH", "/integrations/hubspot/objects/contacts/config-content", {
      installationId: hubspot.installationId,
      action: "write",
      changes: [{ op: "add", path: "/selectedFieldSettings", value }],
    });
    assert.equal(patched.status, 200, patched.text);
    const email = "rules@upsert.example";
    const answer = await dryRun({ email, city: "Ulm", company: "Q", jobtitle: "CTO", firstname: "Ada" });
    assert.deepEqual(Object.keys(answer.body.records[0].fields), ["email", "firstname"]);
    assert.deepEqual(
      answer.body.records[0].withheld.map(({ field }: { field: string }) => field),
      ["city", "company", "jobtitle"],
    );
  });

  test("without a usable key is refused with the place", async () => {
    const refused = async (more: object) =>
      assertProblem(await upsert(more), 400, "invalid-request").issues.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await refused({ key: undefined, record: { email: "a@b.example" } }), ["key"]);
    assert.deepEqual(await refused({ record: { firstname: "Ada" } }), ["record.email"]);
    assert.deepEqual(await refused({ batch: [{ record: { email: "" } }] }), ["batch[0].record.email"]);
    assert.deepEqual(await refused({ record: { id: "1", email: "a@b.example" } }), ["record.id"]);
    assert.deepEqual(await refused({ type: "create", record: { email: "a@b.example" } }), ["key"]);
    assert.equal(busbar.sandbox.requests({ provider: "hubspot" }).length, 0);
  });

  test("of Salesforce goes by an external id, one or many, and reads the record back", async () => {
    const write = (more: object) =>
      salesforce.write("Contact", { type: "upsert", key: "external_id__c", ...more });
    const first = await write({ record: { External_Id__c: "k/1 ü", LastName: "Quill" } });
    assert.equal(first.status, 200, first.text);
    assert.equal(first.body.result.created, true);
    assert.equal(first.body.result.data.LastName, "Quill");
    const second = await write({ record: { External_Id__c: "k/1 ü", Title: "CTO" } });
    assert.equal(second.body.result.recordId, first.body.result.recordId);
    assert.equal(second.body.result.created, false);
    const batch = [
      { record: { External_Id__c: "k/1 ü", Title: "CEO" } },
      { record: { External_Id__c: "k/2", FirstName: "nameless" } },
      { record: { External_Id__c: "k/3", LastName: "New" } },
    ];
    const { body } = await write({ batch });
    assert.deepEqual(
      body.results.map(({ success, created }: Record<string, boolean>) => [success, created]),
      [
        [true, false],
        [false, undefined],
        [true, true],
      ],
    );
    const nothing = await write({ batch, batchPolicy: { allOrNone: true } });
    assert.equal(nothing.status, 422);
    const byName = await write({ key: "LastName", record: { LastName: "Quill" } });
    assert.equal(byName.status, 422, byName.text);
  });

  test("of a declarative provider takes the keys of its description", async () => {
    const write = (object: string, more: object) =>
      busbar.write("desk", object, { groupRef: "acme", type: "upsert", key: "external_id", ...more });
    for (const name of ["Ada", "Augusta"]) {
      const answer = await write("users", { record: { external_id: "a-1", name } });
      assert.equal(answer.status, 200, answer.text);
    }
    const users = desk.vendor.records.of("users").map(({ fields }) => fields["name"]);
    assert.deepEqual(users, ["Augusta"]);
    const other = await write("users", { key: "name", record: { name: "Ada" } });
    assert.match(assertProblem(other, 400, "unsupported-by-provider").detail, /external_id or email/);
    const ticket = await write("tickets", { record: { external_id: "t-1" } });
    assert.match(assertProblem(ticket, 400, "unsupported-by-provider").detail, /users, organizations/);
  });

  test("of a provider that has none is refused with the way around it", async () => {
    const answer = await busbar.write("sales", "persons", {
      groupRef: "acme",
      type: "upsert",
      key: "email",
      record: { email: "a@b.example" },
    });
    assert.match(assertProblem(answer, 400, "unsupported-by-provider").detail, /search/);
  });
});
