/** Activities that Salesforce has archived are read, counted and found like others; deleted ones are not. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openSandbox, buildSandboxAccount } from "../../connector-kit/testing/reading-fixture.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { read } from "./read.ts";

const sandbox = await openSandbox();
after(() => sandbox.close());
const { account } = sandbox.salesforce;
const { fetch } = buildSandboxAccount(sandbox, sandbox.salesforce, {
  objectName: "Task",
  names: { text: "Subject", other: "Status", unknown: "Nothing_Like_It__c" },
});
const plan: ReadPlan = { objectName: "Task", fields: ["Subject"], filters: [], associations: [] };
const put = (Subject: string, ActivityDate: string): string =>
  account.put("Task", { values: { Subject, ActivityDate, Status: "Completed" }, stamp: true });

test("a task of two years ago is read, counted, found and read by its id; a deleted one is not", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const ids = [put("Old", "2024-01-02"), put("New", today)];
  const gone = put("Gone", "2024-01-03");
  account.archive("Task", gone);
  const byId = (one: { id: string }): string => one.id;
  const { records, next } = await read.readPage(plan, undefined, fetch);
  assert.deepEqual([records.map(byId), next], [ids, undefined]);
  assert.equal(await read.count(plan, fetch), 2);
  const found = await read.search({ ...plan, filters: [{ fieldName: "Subject", value: "Old" }] }, fetch);
  assert.deepEqual(found.records.map(byId), [ids[0]]);
  const named = await read.readByIds(plan, [...ids, gone], fetch);
  assert.deepEqual(named.map(byId), ids);
});

test("the sandbox keeps archived tasks out of `query`, as Salesforce does", async () => {
  put("Older", "2023-01-02");
  const ask = async (kind: string): Promise<number> => {
    const path = `/services/data/v60.0/${kind}?q=${encodeURIComponent("SELECT COUNT() FROM Task WHERE Subject = 'Older'")}`;
    const { text } = await fetch({ method: "GET", path, repeatable: true });
    return JSON.parse(text).totalSize;
  };
  assert.deepEqual([await ask("query"), await ask("queryAll")], [0, 1]);
});
