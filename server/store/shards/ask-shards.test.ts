/** Lists and lookups over several databases with data tables, one of which may be away. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { addProject, testDatabase } from "../../../tests/harness/database.ts";
import { freePort } from "../../../tests/harness/free-port.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import type { Database } from "../database/database.ts";
import { openPool } from "../database/pool.ts";
import type { DataQueries } from "../database/sides.ts";
import { findListedOperation, listProjectOperations } from "../operations/operation-lists.ts";
import { endOperations, insertOperations } from "../operations/operations.ts";
import { askShards, findInShards, listInShards } from "./ask-shards.ts";

type Shard = Pick<Database, "shard" | "data">;

/** Opens databases that have the same project, as copies of a shared table would. */
async function openShards(t: TestContext, names: string[]): Promise<{ shards: Shard[]; projectId: string }> {
  const projectId = newId();
  const shards = [];
  for (const name of names) {
    const { queries, connectionString } = await testDatabase(t, { isDivided: false });
    await addProject(connectionString, { id: projectId });
    shards.push({ shard: name, data: queries });
  }
  return { shards, projectId };
}

const insert = (data: DataQueries, projectId: string, ids: string[]) =>
  insertOperations(
    data,
    ids.map((id) => ({
      id,
      projectId,
      integrationId: newId(),
      installationId: newId(),
      configId: newId(),
      actionType: "write",
      objectName: "contacts",
      claimedBy: 1,
    })),
  );

/** Reads a list to its end. */
async function readAll(
  deps: { shards: Shard[] },
  list: (data: DataQueries, before: string | undefined) => ReturnType<typeof listProjectOperations>,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await listInShards(deps, (data) => list(data, before), {
      limit,
      getPosition: ({ id }) => id,
    });
    ids.push(...page.rows.map(({ id }) => id));
    assert.ok(page.rows.length <= limit);
    const next = page.rows.length === limit ? page.rows.at(-1)?.id : page.continueBefore;
    if (next === undefined) return ids;
    assert.notEqual(next, before, "each page goes on");
    before = next;
  }
}

test("a list over shards has each row once, newest first, however its pages and its searches end", async (t) => {
  const { shards, projectId } = await openShards(t, ["a", "b", "c"]);
  const ids = Array.from({ length: 23 }, newId);
  // Neither in turns nor in equal numbers: the first five in one, none of them in the second.
  const homes = ids.map((_, index) => shards[index < 5 ? 0 : (index * index) % 3] ?? shards[0]);
  for (const [index, id] of ids.entries()) await insert(homes[index]?.data as DataQueries, projectId, [id]);
  const failed = ids.filter((_, index) => index % 4 === 0);
  for (const { data } of shards)
    await endOperations(
      data,
      failed.map((id) => ({ id, status: "failure", result: "No", metadata: {}, log: [] })),
    );
  for (const limit of [1, 2, 7, 50]) {
    const all = await readAll(
      { shards },
      (data, before) => listProjectOperations(data, { projectId }, { before, limit }),
      limit,
    );
    assert.deepEqual(all, ids.toReversed());
    // Each call examines three operations of a shard.
    const found = await readAll(
      { shards },
      (data, before) => listProjectOperations(data, { projectId, status: "failure" }, { before, limit }, 3),
      limit,
    );
    assert.deepEqual(found, failed.toReversed());
  }
});

test("absent is not deleted: what no shard has is only missing if all have answered", async (t) => {
  const { shards, projectId } = await openShards(t, ["a", "b"]);
  const [a, b] = shards as [Shard, Shard];
  const [inA, inB, nowhere] = [newId(), newId(), newId()];
  await insert(a.data, projectId, [inA]);
  await insert(b.data, projectId, [inB]);
  const find = (among: Shard[], id: string) =>
    findInShards({ shards: among }, (data) => findListedOperation(data, projectId, id));
  for (const [id, shard] of [
    [inA, a],
    [inB, b],
  ] as const) {
    const found = await find(shards, id);
    assert.deepEqual([found?.row.id, found?.shard], [id, shard]);
  }
  assert.equal(await find(shards, nowhere), undefined);

  const port = await freePort();
  const { queries } = openPool({
    connectionString: `postgres://busbar@127.0.0.1:${port}/busbar`,
    applicationName: "busbar",
    log: createLog("silent"),
    size: 1,
  });
  t.after(() => queries.destroy());
  const withAway = [a, { shard: "b", data: queries }];
  assert.equal((await find(withAway, inA))?.row.id, inA, "others are served");
  const namesIt = (error: unknown) =>
    error instanceof Problem && error.status === 503 && /shard `b`.*is away/.test(error.message);
  await assert.rejects(find(withAway, inB), namesIt);
  await assert.rejects(
    askShards({ shards: withAway }, async (data) => listProjectOperations(data, { projectId }, { limit: 1 })),
    namesIt,
  );
  const list = (among: Shard[]) =>
    listInShards({ shards: among }, (data) => listProjectOperations(data, { projectId }, { limit: 5 }), {
      limit: 5,
      getPosition: ({ id }) => id,
    });
  const page = await list(withAway);
  assert.deepEqual([page.rows.map(({ id }) => id), page.unavailable], [[inA], ["b"]], "a list names it");
  assert.deepEqual(
    (await list([{ shard: "b", data: queries }])).unavailable,
    ["b"],
    "also one of its customer",
  );
  await assert.rejects(list([{ shard: "main", data: queries }]), "the only database is no shard");
});
