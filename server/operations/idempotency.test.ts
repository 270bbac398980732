import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { openSides, testDatabase } from "../../tests/harness/database.ts";
import { until } from "../../tests/harness/until.ts";
import { Problem } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { claimProcessIdentity } from "../jobs/process-identity.ts";
import { bootstrap, bootstrapIfEmpty } from "../access/bootstrap.ts";
import { prepareAnswers } from "../store/access/idempotency-keys.ts";
import { endOperations, findOperation, insertOperations } from "../store/operations/operations.ts";
import { retryWhileDatabaseIsDown } from "../store/database/database-outage.ts";
import { NewWork } from "../jobs/new-work.ts";
import { openIdempotency } from "./idempotency.ts";
import { openOperationLedger } from "./operation-ledger.ts";

const log = createLog("silent");

async function open(t: { after(callback: () => Promise<void>): void }) {
  const database = await testDatabase(t);
  const identity = await claimProcessIdentity(database.connectionString, log);
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
      const other = await claimProcessIdentity(busbar.database.connectionString, log);
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

  test("is in progress for whoever found it stopped before another process took it over", async (t) => {
    const busbar = await open(t);
    const other = await claimProcessIdentity(busbar.database.connectionString, log);
    const request = keyed(busbar.projectId, "later");
    await assert.rejects(
      busbar.idempotency.once(request, () => Promise.reject(new Error("cut"))),
      /cut/,
    );
    await busbar.database.queries.updateTable("idempotencyKeys").set({ claimedBy: 999_999 }).execute();
    const begun = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const findDead = async (ids: number[]) => {
      const dead = await other.findDead(ids);
      await begun.promise;
      return dead;
    };
    const late = openIdempotency({
      database: busbar.database,
      identity: { id: other.id, findDead, close: () => other.close() },
      keptHours: 24,
    });
    const again = late.once(request, () => assert.fail("written twice"));
    const first = busbar.idempotency.once(request, async (operationId) => {
      begun.resolve();
      await refused.promise;
      return { operationId };
    });
    await assert.rejects(again, /still running/);
    refused.resolve();
    const answer = await first;
    assert.deepEqual(await late.once(request, () => assert.fail("written twice")), answer);
    await busbar.identity.close();
    await other.close();
  });

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

describe("an answer that is committed on one side, and the end of its operation on the other", () => {
  /** A request under way, whose process commits the sides one after the other. */
  async function openSplit(t: { after(callback: () => Promise<void>): void }) {
    const { database, identity, projectId, operation } = await open(t);
    t.after(() => identity.close());
    const sides = await openSides(t, database);
    const ledger = openOperationLedger({ database: sides, identity, log, newWrites: new NewWork() });
    const idempotency = openIdempotency({ database: sides, identity, keptHours: 24 });
    const asked = { ...keyed(projectId, "now"), storesAnswer: true };
    const end = (operationId: string) =>
      ledger.end({
        id: operationId,
        status: "success",
        result: "created",
        metadata: {},
        log: [],
        answer: { projectId, key: asked.key, body: { operationId, n: 1 } },
      });
    const readKey = () =>
      sql<{ status: number | null; body: { operationId: string } | null }>`
        select status, body from idempotency_keys
      `
        .execute(database.queries)
        .then(({ rows }) => rows[0]);
    /** Holds up the second commit until it is released, or the process has ended. */
    const holdEnds = async () => {
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = database.queries.transaction().execute(async (queries) => {
        await sql`lock table operations in share row exclusive mode`.execute(queries);
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      return () => {
        released.resolve();
        return holding;
      };
    };
    const begin = async (operationId: string) => {
      await insertOperations(sides.data, [operation(operationId)]);
      return operationId;
    };
    const repeat = () => idempotency.once(asked, () => assert.fail("written twice"));
    return { database, sides, idempotency, asked, begin, end, readKey, holdEnds, repeat };
  }

  test("a repeated request gets the first answer again", async (t) => {
    const { idempotency, asked, begin, end, repeat } = await openSplit(t);
    const answer = await idempotency.once(asked, async (id) => {
      await end(await begin(id));
      return { operationId: id, n: 1 };
    });
    assert.deepEqual(await repeat(), answer);
  });

  test("after the second commit the answer counts, though the process died before it answered", async (t) => {
    const { idempotency, asked, begin, end, repeat } = await openSplit(t);
    let first = "";
    const cut = idempotency.once(asked, async (id) => {
      await end(await begin((first = id)));
      throw new Error("cut off");
    });
    await assert.rejects(cut, /cut off/);
    assert.deepEqual(await repeat(), { operationId: first, n: 1 });
  });

  test("a connection that breaks between the commits delays the end, and the first answer is given again", async (t) => {
    const { database, idempotency, asked, begin, end, readKey, holdEnds, repeat } = await openSplit(t);
    const cut = idempotency.once(asked, async (id) => {
      await begin(id);
      const release = await holdEnds();
      const ending = end(id);
      await until(async () => (await readKey())?.body);
      assert.equal((await findOperation(database.data, asked.projectId, id))?.status, "in_progress");
      await until(async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.queries);
        return rows.length > 0;
      });
      await release();
      await ending;
      await until(
        async () => (await findOperation(database.data, asked.projectId, id))?.status !== "in_progress",
      );
      throw new Error("cut off");
    });
    await assert.rejects(cut, /cut off/);
    // The pool may not know yet that its connection is gone.
    const answer = await retryWhileDatabaseIsDown(repeat);
    assert.deepEqual(answer, { operationId: (await readKey())?.body?.operationId, n: 1 });
  });

  test("a process that dies between the commits leaves an answer that does not count, and nothing is written twice", async (t) => {
    const { sides, idempotency, asked, begin, readKey, repeat } = await openSplit(t);
    let operationId = "";
    const cut = idempotency.once(asked, async (id) => {
      operationId = await begin(id);
      const { projectId, key } = asked;
      await prepareAnswers(sides.control, [{ operationId, projectId, key, body: { operationId } }]);
      throw new Error("killed");
    });
    await assert.rejects(cut, /killed/);
    assert.deepEqual(await readKey(), { status: null, body: { operationId } });
    await assert.rejects(repeat(), /unknown/);
    // As the recovery of a dead process ends it.
    const ended = { id: operationId, status: "failure" as const, result: "interrupted", metadata: {} };
    await endOperations(sides.data, [{ ...ended, log: [] }]);
    await assert.rejects(repeat(), /unknown/);
    // And when retention has removed it.
    await sides.data.deleteFrom("operations").execute();
    await assert.rejects(repeat(), /unknown/);
  });
});

test("a request that stores its answer while another one asks whether it is running gives that one its answer", async (t) => {
  const { database, identity, projectId, operation, idempotency } = await open(t);
  t.after(() => identity.close());
  const first = await claimProcessIdentity(database.connectionString, log);
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const ended = openIdempotency({ database, identity: first, keptHours: 24 }).once(
    keyed(projectId, "now"),
    async (operationId) => {
      await insertOperations(database.data, [{ ...operation(operationId), claimedBy: first.id }]);
      begun.resolve();
      await ending.promise;
      const done = { id: operationId, result: "done", metadata: {}, log: [] };
      await endOperations(database.data, [{ ...done, status: "success" }]);
      return { operationId };
    },
  );
  await begun.promise;
  // Between reading the key and this question, the first one ends, and its process too.
  const findDead = async (ids: number[]): Promise<number[]> => {
    ending.resolve();
    await ended;
    await first.close();
    return identity.findDead(ids);
  };
  const asking = openIdempotency({ database, identity: { ...identity, findDead }, keptHours: 24 });
  const answer = await asking.once(keyed(projectId, "now"), () => assert.fail("it was done"));
  assert.deepEqual(answer, await ended);
  assert.deepEqual(await idempotency.once(keyed(projectId, "now"), () => assert.fail()), answer);
});
