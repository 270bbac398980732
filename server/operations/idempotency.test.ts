import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { Problem } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { takeProcessIdentity } from "../jobs/process-identity.ts";
import { bootstrap, bootstrapIfEmpty } from "../access/bootstrap.ts";
import { insertOperations } from "../store/operations.ts";
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
  const on = await open(t);
  const other = await bootstrap(on.database.queries, { org: "other", project: "other" });
  const ask = (projectId: string) =>
    on.idempotency.once(keyed(projectId, "later"), async () => ({ operationId: projectId }));
  for (const projectId of [on.projectId, other.projectId, on.projectId, other.projectId])
    assert.deepEqual(await ask(projectId), { operationId: projectId });
  await on.identity.close();
});

describe("a request that was cut off in the middle", () => {
  test("is carried out when its operation was never begun", async (t) => {
    const on = await open(t);
    const cut = on.idempotency.once(keyed(on.projectId, "later"), async () => {
      throw new Error("the database went away");
    });
    await assert.rejects(cut, /went away/);
    const again = await on.idempotency.once(keyed(on.projectId, "later"), async (operationId) => ({
      operationId,
    }));
    assert.ok("operationId" in again);
    await on.identity.close();
  });

  test("is answered with its operation when that was committed", async (t) => {
    const on = await open(t);
    let first = "";
    const cut = on.idempotency.once(keyed(on.projectId, "later"), async (operationId) => {
      first = operationId;
      await insertOperations(on.database.queries, [on.operation(operationId)]);
      throw new Error("cut off after the commit");
    });
    await assert.rejects(cut);
    const again = await on.idempotency.once(keyed(on.projectId, "later"), () => assert.fail("written twice"));
    assert.equal(again.operationId, first);
    await on.identity.close();
  });

  test("is not repeated when the provider may have been called", async (t) => {
    const on = await open(t);
    const cut = on.idempotency.once(keyed(on.projectId, "now"), async (operationId) => {
      await insertOperations(on.database.queries, [on.operation(operationId)]);
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    const again = on.idempotency.once(keyed(on.projectId, "now"), () => assert.fail("written twice"));
    await assert.rejects(again, /unknown/);
    await on.identity.close();
  });

  test("is repeated under the first request's id while the provider knows its keys, however often it is cut off", async (t) => {
    const on = await open(t);
    const asked = { ...keyed(on.projectId, "now"), repeatableMs: 60_000 };
    const seen: { operationId: string; firstOperationId: string }[] = [];
    const act = async (operationId: string, firstOperationId: string) => {
      seen.push({ operationId, firstOperationId });
      await insertOperations(on.database.queries, [on.operation(operationId)]);
      if (seen.length === 1) throw new Error("cut off");
      if (seen.length === 2)
        throw new Problem("unknown-outcome", { detail: "unknown", extensions: { operationId } });
      return { operationId };
    };
    await assert.rejects(on.idempotency.once(asked, act), /cut off/);
    await assert.rejects(on.idempotency.once(asked, act), /unknown/i);
    const answer = await on.idempotency.once(asked, act);
    assert.deepEqual(await on.idempotency.once(asked, act), answer);
    assert.equal(seen.length, 3);
    assert.equal(new Set(seen.map(({ operationId }) => operationId)).size, 3);
    assert.deepEqual(
      [...new Set(seen.map(({ firstOperationId }) => firstOperationId))],
      [seen[0]?.operationId],
    );
    await on.identity.close();
  });

  test("is not repeated when the provider may have forgotten its keys", async (t) => {
    const on = await open(t);
    const asked = { ...keyed(on.projectId, "now"), repeatableMs: 1 };
    const cut = on.idempotency.once(asked, async (operationId) => {
      await insertOperations(on.database.queries, [on.operation(operationId)]);
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const again = on.idempotency.once(asked, () => assert.fail("written twice"));
    await assert.rejects(again, /unknown/);
    await on.identity.close();
  });

  test("is not repeated when its record may have joined a group", async (t) => {
    const on = await open(t);
    const cut = on.idempotency.once(keyed(on.projectId, "grouped"), async () => {
      throw new Error("cut off");
    });
    await assert.rejects(cut);
    const again = on.idempotency.once(keyed(on.projectId, "grouped"), () => assert.fail("written twice"));
    await assert.rejects(again, /unknown/);
    await on.identity.close();
  });

  for (const mode of ["now", "later"] as const) {
    test(`is repeated by one of many who ask at once, in two processes (${mode})`, async (t) => {
      const on = await open(t);
      const other = await takeProcessIdentity(on.database.connectionString, log);
      const idempotencies = [
        on.idempotency,
        openIdempotency({ database: on.database, identity: other, keptHours: 24 }),
      ];
      const cut = on.idempotency.once(keyed(on.projectId, mode), () => Promise.reject(new Error("cut")));
      await assert.rejects(cut, /cut/);
      // Whoever claimed it first is gone, so that both processes may take over.
      await on.database.queries.updateTable("idempotencyKeys").set({ claimedBy: 999_999 }).execute();
      let writes = 0;
      const write = async (operationId: string) => {
        writes += 1;
        await insertOperations(on.database.queries, [on.operation(operationId)]);
        return { operationId };
      };
      const asked = Array.from({ length: 20 }, (_, index) =>
        idempotencies[index % 2]?.once(keyed(on.projectId, mode), write).catch(() => undefined),
      );
      await Promise.all(asked);
      assert.equal(writes, 1);
      await on.identity.close();
      await other.close();
    });
  }

  test("keeps its operation when it is asynchronous, so that a late commit cannot make it two", async (t) => {
    const on = await open(t);
    const ids: string[] = [];
    const cut = on.idempotency.once(keyed(on.projectId, "later"), (operationId) => {
      ids.push(operationId);
      return Promise.reject(new Error("the answer to the commit was lost"));
    });
    await assert.rejects(cut);
    const late = on.idempotency.once(keyed(on.projectId, "later"), async (operationId) => {
      ids.push(operationId);
      await insertOperations(on.database.queries, [on.operation(operationId)]);
      throw new Error("the first commit was quicker");
    });
    await assert.rejects(late);
    const again = await on.idempotency.once(keyed(on.projectId, "later"), () => assert.fail("written twice"));
    assert.deepEqual(ids, [again.operationId, again.operationId]);
    await on.identity.close();
  });
});
