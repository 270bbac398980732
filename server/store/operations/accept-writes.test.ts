import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { appendToGroup, GROUP_BYTES } from "./accept-writes.ts";
import { claimInstallationWrites, listOldestDue } from "./write-queue.ts";

async function openGroups(t: TestContext) {
  const { queries } = await testDatabase(t);
  const { projectId } = await queries
    .transaction()
    .execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const [integrationId, installationId, configId] = [newId(), newId(), newId()];
  const place = { projectId, integrationId, installationId, configId };
  const append = (bytes: number) =>
    queries.transaction().execute((deps) =>
      appendToGroup(deps, {
        operation: { id: newId(), ...place, actionType: "write", objectName: "companies" },
        writeType: "create",
        sendOptions: {},
        records: [{ text: "x".repeat(bytes) }],
        recordKeys: [],
        dueMs: 3_600_000,
        retryMs: 60_000,
        groupKey: "group",
      }),
    );
  const claim = async () => {
    const { installations } = await listOldestDue(queries, 100);
    const wanted = installations.map((one) => ({ ...one, capacity: 100 }));
    return (await claimInstallationWrites(queries, 7, 100, wanted)).map(({ operationId }) => operationId);
  };
  return { append, claim };
}

test("a full group is due at once and takes no more records", async (t) => {
  const { append, claim } = await openGroups(t);
  const first = await append(GROUP_BYTES / 2);
  assert.deepEqual(await claim(), []);
  assert.equal(await append(GROUP_BYTES / 2), first);
  const second = await append(10);
  assert.notEqual(second, first);
  assert.deepEqual(await claim(), [first]);
});

test("a record that is large enough for a full group is a group of its own", async (t) => {
  const { append, claim } = await openGroups(t);
  const large = await append(GROUP_BYTES);
  assert.notEqual(await append(10), large);
  assert.deepEqual(await claim(), [large]);
});
