import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { Problem } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { takeProcessIdentity } from "../jobs/process-identity.ts";
import { bootstrap, bootstrapIfEmpty } from "../access/bootstrap.ts";
import { insertOperations } from "../store/operations/operations.ts";
import { openIdempotency } from "./idempotency.ts";

const log = createLog("silent");

async function open(t: { after(callback: () => Promise<void>): void }) {
  const database = await testDatabase(t);
  const identity = await takeProcessIdentity(database.connectionString, log);
  const made = await bootstrapIfEmpty(database, undefined);
  const projectId = made?.projectId ?? "";
  const operation = (id: string) => ({
    id,
    projectId,
    integrationId: newId(),
    installationId: newId(),
    configId: newId(),
    actionType: "write",
    objectName: "contacts",
    claimedBy: identity.id,
  });
  return {
    database,
    identity,
    projectId,
    operation,
    idempotency: openIdempotency({ database, identity, keptHours: 24 }),
  };
}

const keyed = (projectId: string, mode: "now" | "later" | "grouped") => ({
  projectId,
  key: "k",
  request: { a: 1 },
  mode,
});

test("a key of one project is free in every other, and each gets its own answer again", async (t) => {
  const busbar = await open(t);
  const other = await bootstrap(busbar.database.queries, { org: "other", project: "other" });
  const ask = (projectId: string) =>
    busbar.idempotency.once(keyed(projectId, "later"), async () => ({ operationId: projectId }));
  for (const projectId of [busbar.projectId, other.projectId, busbar.projectId, other.projectId])
    assert.deepEqual(await ask(projectId), { operationId: projectId });
  await busbar.identity.close();
});

describe("a request that was cut off in the middle", () => {
  test("is carried out when its operation was never begun", async (t) => {
    const busbar = await open(t);
    const cut = busbar.idempotency.once(keyed(busbar.projectId, "later"), async () => {
      throw new Error("the database went away");
    });
    await assert.rejects(cut, /went away/);
    const again = await busbar.idempotency.once(keyed(busbar.projectId, "later"), async (operationId) => ({
      operationId,
    }));
    assert.ok("operationId" in again);
    await busbar.identity.close();
  });

  test("is answered with its operation when that was committed", async (t) => {
    const busbar = await open(t);
    let first = "";
    const cut = busbar.idempotency.once(keyed(busbar.projectId, "later"), async (operationId) => {
      first = operationId;
      await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
      throw new Error("cut off after the commit");
    });
    await assert.rejects(cut);
    const again = await busbar.idempotency.once(keyed(busbar.projectId, "later"), () =>
      assert.fail("written twice"),
    );
    assert.equal(again.operationId, first);
    await busbar.identity.close();
  });

  test("is not repeated when the provider may have been called", async (t) => {
    const busbar = await open(t);
    const cut = busbar.idempotency.once(keyed(busbar.projectId, "now"), async (operationId) => {
      await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    const again = busbar.idempotency.once(keyed(busbar.projectId, "now"), () => assert.fail("written twice"));
    await assert.rejects(again, /unknown/);
    await busbar.identity.close();
  });

  test("is repeated under the first request's id while the provider knows its keys, however often it is cut off", async (t) => {
    const busbar = await open(t);
    const asked = { ...keyed(busbar.projectId, "now"), repeatableMs: 60_000 };
    const seen: { operationId: string; firstOperationId: string }[] = [];
    const act = async (operationId: string, firstOperationId: string) => {
      seen.push({ operationId, firstOperationId });
      await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
      if (seen.length === 1) throw new Error("cut off");
      if (seen.length === 2)
        throw new Problem("unknown-outcome", { detail: "unknown", extensions: { operationId } });
      return { operationId };
    };
    await assert.rejects(busbar.idempotency.once(asked, act), /cut off/);
    await assert.rejects(busbar.idempotency.once(asked, act), /unknown/i);
    const answer = await busbar.idempotency.once(asked, act);
    assert.deepEqual(await busbar.idempotency.once(asked, act), answer);
    assert.equal(seen.length, 3);
    assert.equal(new Set(seen.map(({ operationId }) => operationId)).size, 3);
    assert.deepEqual(
      [...new Set(seen.map(({ firstOperationId }) => firstOperationId))],
      [seen[0]?.operationId],
    );
    await busbar.identity.close();
  });

  test("is not repeated when the provider may have forgotten its keys", async (t) => {
    const busbar = await open(t);
    const asked = { ...keyed(busbar.projectId, "now"), repeatableMs: 1 };
    const cut = busbar.idempotency.once(asked, async (operationId) => {
      await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const again = busbar.idempotency.once(asked, () => assert.fail("written twice"));
    await assert.rejects(again, /unknown/);
    await busbar.identity.close();
  });

  test("is not repeated when its record may have joined a group", async (t) => {
    const busbar = await open(t);
    const cut = busbar.idempotency.once(keyed(busbar.projectId, "grouped"), async () => {
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    const again = busbar.idempotency.once(keyed(busbar.projectId, "grouped"), () =>
      assert.fail("written twice"),
    );
    await assert.rejects(again, /unknown/);
    await busbar.identity.close();
  });

  for (const mode of ["now", "later"] as const) {
    test(`is repeated by one of many who ask at once, in two processes (${mode})`, async (t) => {
      const busbar = await open(t);
      const other = await takeProcessIdentity(busbar.database.connectionString, log);
      const idempotencies = [
        busbar.idempotency,
        openIdempotency({ database: busbar.database, identity: other, keptHours: 24 }),
      ];
      const cut = busbar.idempotency.once(keyed(busbar.projectId, mode), () =>
        Promise.reject(new Error("cut")),
      );
      await assert.rejects(cut, /cut/);
      // Whoever claimed it first is gone, so that both processes may take over.
      await busbar.database.queries.updateTable("idempotencyKeys").set({ claimedBy: 999_999 }).execute();
      let writes = 0;
      const write = async (operationId: string) => {
        writes += 1;
        await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
        return { operationId };
      };
      const asked = Array.from({ length: 20 }, (_, index) =>
        idempotencies[index % 2]?.once(keyed(busbar.projectId, mode), write).catch(() => undefined),
      );
      await Promise.all(asked);
      assert.equal(writes, 1);
      await busbar.identity.close();
      await other.close();
    });
  }

  test("keeps its operation when it is asynchronous, so that a late commit cannot make it two", async (t) => {
    const busbar = await open(t);
    const ids: string[] = [];
    const cut = busbar.idempotency.once(keyed(busbar.projectId, "later"), (operationId) => {
      ids.push(operationId);
      return Promise.reject(new Error("the answer to the commit was lost"));
    });
    await assert.rejects(cut);
    const late = busbar.idempotency.once(keyed(busbar.projectId, "later"), async (operationId) => {
      ids.push(operationId);
      await insertOperations(busbar.database.queries, [busbar.operation(operationId)]);
      throw new Error("the first commit was quicker");
    });
    await assert.rejects(late);
    const again = await busbar.idempotency.once(keyed(busbar.projectId, "later"), () =>
      assert.fail("written twice"),
    );
    assert.deepEqual(ids, [again.operationId, again.operationId]);
    await busbar.identity.close();
  });
});
