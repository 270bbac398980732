/** The write queue: the cost of a claim, and the owners of claims. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test, type TestContext } from "node:test";
import type { RawNode } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { insertAcceptedWrites } from "./accept-writes.ts";
import type { Database } from "../database/database.ts";
import { endOperations } from "./operations.ts";
import {
  claimSuccessors,
  claimInstallationWrites,
  listClaimers,
  listOldestDue,
  listWaitingAfter,
  markCalled,
  takeOverWrites,
} from "./write-queue.ts";

const WORKER = 7;

async function openQueue(t: TestContext) {
  const database = await testDatabase(t);
  const { queries } = database;
  const { projectId } = await queries
    .transaction()
    .execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const [integrationId, installationId, configId] = [newId(), newId(), newId()];
  const accept = (count: number, updatedKey?: (index: number) => string, ofInstallation = installationId) =>
    insertAcceptedWrites(
      queries,
      Array.from({ length: count }, (_, index) => ({
        operation: {
          // Far apart in the index, as operations of different times are.
          id: randomUUID(),
          projectId,
          integrationId,
          installationId: ofInstallation,
          configId,
          actionType: "write",
          objectName: "companies",
        },
        writeType: updatedKey ? "update" : "create",
        sendOptions: {},
        records: [{}],
        recordKeys: updatedKey ? [updatedKey(index)] : [],
        dueMs: 0,
        retryMs: 60_000,
      })),
    );
  const claim = async (capacity = 100, workerId = WORKER) =>
    (await claimInstallationWrites(queries, workerId, capacity, [{ installationId, capacity }])).map(
      ({ operationId }) => operationId,
    );
  const end = (ids: string[]) =>
    endOperations(
      queries,
      ids.map((id) => ({ id, status: "success", result: "", metadata: {}, log: [] })),
    );
  return { database, accept, claim, end };
}

/** Rows that sequential scans have read of a table and entries that scans have read of its indexes, so far. */
async function rowsRead({ pool }: Database, table: "writes" | "operations"): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("select pg_stat_force_next_flush()");
    const { rows } = await client.query<{ read: string }>(
      `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = $1) as read
      from pg_stat_user_tables where relname = $1`,
      [table],
    );
    return Number(rows[0]?.read);
  } finally {
    client.release();
  }
}

/** Index entries that scans have read so far, of each index of the queue. */
const unkeyed = (operationId: string) => ({ operationId, repeatableMs: undefined });

async function entriesRead({ pool }: Database): Promise<Record<string, number>> {
  const client = await pool.connect();
  try {
    await client.query("select pg_stat_force_next_flush()");
    const { rows } = await client.query<{ name: string; read: string }>(
      "select indexrelname as name, idx_tup_read as read from pg_stat_user_indexes where relname = 'writes'",
    );
    return Object.fromEntries(rows.map(({ name, read }) => [name, Number(read)]));
  } finally {
    client.release();
  }
}

test("a claim reads the rows in the queue, not those that have left it since the last vacuum", async (t) => {
  const { database, accept, claim, end } = await openQueue(t);
  await database.pool.query("alter table writes set (autovacuum_enabled = off)");
  for (let round = 0; round < 30; round++) {
    await accept(100);
    const ids = await claim();
    await markCalled(database.queries, WORKER, ids.map(unkeyed));
    await end(ids);
  }
  // Rows that another transaction may see are not dead yet: claims cost more while an analysis runs.
  await until(async () => {
    await accept(10);
    const before = await entriesRead(database);
    const ids = await claim();
    await markCalled(database.queries, WORKER, ids.map(unkeyed));
    const after = await entriesRead(database);
    assert.equal(ids.length, 10);
    const reads = Object.entries(after).map(([name, read]) => read - (before[name] ?? 0));
    return Math.max(...reads) < 500;
  });
});

test("of many updates of one record the oldest is claimed, without reading all keys for each of them", async (t) => {
  const { database, accept, claim, end } = await openQueue(t);
  const many = 2_000;
  await accept(many, () => "one");
  await accept(10, (index) => `other ${index}`);
  const rowsRead = async () => {
    const client = await database.pool.connect();
    try {
      await client.query("select pg_stat_force_next_flush()");
      const { rows } = await client.query<{ read: string }>(
        "select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where relname = 'write_keys'",
      );
      return Number(rows[0]?.read);
    } finally {
      client.release();
    }
  };
  for (const statistics of ["none", "fresh"]) {
    if (statistics === "fresh") await database.pool.query("analyze writes, write_keys");
    const before = await rowsRead();
    const ids = await claim();
    // The first of the one record; the others beside it, once.
    assert.equal(ids.length, statistics === "none" ? 11 : 1);
    assert.ok((await rowsRead()) - before < many * 10, statistics);
    await end(ids);
  }
});

test("when an update ends, the next one of its record is claimed, and only when no other record holds it back", async (t) => {
  const { database, accept, claim, end } = await openQueue(t);
  const { queries } = database;
  await accept(3, () => "hot");
  await accept(1, () => "other");
  const [first, other] = await claim();
  assert.deepEqual(await claimSuccessors(queries, WORKER, ["hot", "other"]), []);
  await end([first ?? ""]);
  const [second, ...more] = await claimSuccessors(queries, WORKER, ["hot"]);
  assert.deepEqual([second?.recordKeys, more], [["hot"], []]);
  await end([second?.operationId ?? "", other ?? ""]);
  const [third] = await claimSuccessors(queries, WORKER, ["other", "hot"]);
  await end([third?.operationId ?? ""]);
  assert.deepEqual(await claimSuccessors(queries, WORKER, ["other", "hot"]), []);
});

test("a worker that has lost a claim cannot mark its write as sent", async (t) => {
  const { database, accept, claim } = await openQueue(t);
  await accept(2);
  const [lost = "", kept = ""] = await claim();
  await takeOverWrites(database.queries, WORKER, [kept]);
  await assert.rejects(markCalled(database.queries, WORKER, [unkeyed(lost)]), /taken over/);
  await markCalled(database.queries, WORKER, [unkeyed(kept)]);
});

test("every worker that holds a write is listed, once", async (t) => {
  const { database, accept, claim } = await openQueue(t);
  assert.deepEqual(await listClaimers(database.queries), []);
  await accept(3);
  await claim();
  await accept(1);
  await claim(1, 9);
  assert.deepEqual((await listClaimers(database.queries)).toSorted(), [WORKER, 9]);
});

test("with the statistics of an empty queue, a claim and an end read the rows they change, not all that wait", async (t) => {
  const { database, accept, claim, end } = await openQueue(t);
  await database.pool.query("alter table writes set (autovacuum_enabled = off)");
  await database.pool.query("alter table operations set (autovacuum_enabled = off)");
  await accept(500);
  await database.pool.query("delete from operations");
  // Pages without rows: the planner takes every table for empty, however much it holds afterwards.
  await database.pool.query("analyze writes, operations, write_keys");
  await accept(2_000);
  for (const table of ["writes", "operations"] as const) {
    const before = await rowsRead(database, table);
    const ids = await claim();
    assert.equal(ids.length, 100);
    await end(ids);
    const read = (await rowsRead(database, table)) - before;
    assert.ok(read < 3_000, `${read} rows of ${table}`);
  }
});

test("the end of many writes does not compare each of them with all others", async (t) => {
  const { database, accept, claim } = await openQueue(t);
  // As in use: nearly all operations have ended.
  await accept(3_000);
  await database.pool.query("update operations set status = 'success'");
  await database.pool.query("delete from writes");
  await database.pool.query("analyze operations");
  await accept(200);
  const ids = await claim(200);
  const plan: string[] = [];
  const explained = database.queries.withPlugin({
    transformQuery: ({ node }) =>
      node.kind === "RawNode" ? { ...node, sqlFragments: explain((node as RawNode).sqlFragments) } : node,
    transformResult: async ({ result }) => {
      plan.push(...result.rows.map((row) => String(Object.values(row)[0])));
      return result;
    },
  });
  await endOperations(
    explained,
    ids.map((id) => ({ id, status: "success", result: "", metadata: {}, log: [] })),
  );
  const input = plan.filter((line) => line.includes("Function Scan on jsonb_to_recordset"));
  assert.equal(input.length, 1);
  assert.match(input[0] ?? "", /actual rows=200\S* loops=1\)/);
});

const explain = ([first = "", ...others]: readonly string[]): string[] => [
  `explain (analyze, costs off, timing off) ${first}`,
  ...others,
];

test("finding the next installation with writes costs the same however many the one before has", async (t) => {
  const { database, accept } = await openQueue(t);
  const { queries } = database;
  const ids = Array.from({ length: 5 }, (_, nth) => `0000000${nth + 1}-0000-4000-8000-000000000000`);
  await accept(5_000, undefined, ids[0]);
  for (const id of ids.slice(1)) await accept(1, undefined, id);
  assert.deepEqual((await listOldestDue(queries, 100)).areAll, false);
  for (const statistics of ["none", "fresh"]) {
    if (statistics === "fresh") await database.pool.query("analyze writes");
    const before = await rowsRead(database, "writes");
    const listed = await listWaitingAfter(queries, "00000000-0000-0000-0000-000000000000", 100);
    assert.deepEqual(
      listed.map(({ installationId }) => installationId),
      ids,
    );
    assert.ok(listed.every(({ isDue }) => isDue));
    const wanted = ids.slice(1).map((installationId) => ({ installationId, capacity: 8 }));
    if (statistics === "fresh")
      assert.equal((await claimInstallationWrites(queries, WORKER, 100, wanted)).length, 4);
    const read = (await rowsRead(database, "writes")) - before;
    assert.ok(read < 200, `${read} rows, statistics: ${statistics}`);
  }
});
