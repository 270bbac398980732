// The published jsforce library works against the sandbox.

import assert from "node:assert/strict";
import { test } from "node:test";
import jsforce from "jsforce";
import { openSandbox } from "../../sandbox/test-client.ts";

const sandbox = await openSandbox();

function connect(): InstanceType<typeof jsforce.Connection> {
  const { accessToken } = sandbox.salesforce.mintToken();
  return new jsforce.Connection({ instanceUrl: sandbox.salesforce.url, accessToken, version: "60.0" });
}

test("records can be created, queried, updated and deleted", async () => {
  const connection = connect();
  const created = await connection.sobject("Contact").create({ LastName: "Forge", Email: "forge@x.example" });
  assert.equal(created.success, true);
  const id = created.id ?? "";
  await connection.sobject("Contact").update({ Id: id, FirstName: "Jay" });
  const found = await connection.query(`SELECT Id, Name FROM Contact WHERE Id = '${id}'`);
  assert.equal(found.records[0]?.["Name"], "Jay Forge");
  const records: Record<string, string>[] = [{ LastName: "One" }, { FirstName: "Two" }];
  const many = await connection.sobject("Contact").create(records);
  assert.deepEqual(
    many.map((result) => result.success),
    [true, false],
  );
  const deleted = await connection.sobject("Contact").destroy(id);
  assert.equal(deleted.success, true);
  const refused = async (): Promise<unknown> => connection.query("SELECT Nope FROM Contact");
  await assert.rejects(refused, { errorCode: "INVALID_FIELD" });
});

test("objects can be described", async () => {
  const connection = connect();
  const all = await connection.describeGlobal();
  assert.ok(all.sobjects.some((one) => one.name === "Machine__c" && one.custom));
  const account = await connection.sobject("Account").describe();
  assert.ok(account.fields.some((field) => field.name === "Name" && !field.nillable));
});

test("paging follows nextRecordsUrl below the provider's prefix", async () => {
  const connection = connect();
  for (let i = 0; i < 2; i++) {
    await connection
      .sobject("Task")
      .create(Array.from({ length: 150 }, (_, n) => ({ Subject: `${i} ${n}` })));
  }
  const first = await connection.query("SELECT Subject FROM Task", {
    headers: { "Sforce-Query-Options": "batchSize=200" },
  });
  assert.equal(first.done, false);
  const second = await connection.queryMore(first.nextRecordsUrl ?? "");
  assert.equal(first.records.length + second.records.length, 300);
});

test("an expired session is refreshed with the rotated token", async () => {
  const minted = sandbox.salesforce.mintToken({ expiresInSeconds: 0 });
  const oauth2 = new jsforce.OAuth2({ loginUrl: sandbox.salesforce.url, clientId: "app", clientSecret: "s" });
  const connection = new jsforce.Connection({
    oauth2,
    instanceUrl: sandbox.salesforce.url,
    accessToken: minted.accessToken,
    refreshToken: minted.refreshToken ?? "",
    version: "60.0",
  });
  const answer = await connection.query("SELECT Id FROM Account");
  assert.ok(answer.totalSize >= 3);
  const refreshes = sandbox.requests({ path: "/services/oauth2/token" });
  assert.equal(refreshes.length, 1);
});

test("custom fields can be made and read through the Metadata API", async () => {
  const connection = connect();
  const fullName = "Account.Forged__c";
  const made = await connection.metadata.upsert("CustomField", {
    fullName,
    label: "Forged",
    type: "Text",
    length: 30,
  });
  assert.ok(!Array.isArray(made) && made.success && made.created);
  const read = await connection.metadata.read("CustomField", fullName);
  assert.ok(!Array.isArray(read));
  assert.equal(read.label, "Forged");
});
