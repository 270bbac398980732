/** Counts of several databases are those of one with all rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { addProject, testDatabase } from "../../../tests/harness/database.ts";
import { nowMs } from "../../../ground/clock.ts";
import { buildFirstId, newId } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import { insertOperations } from "../operations/operations.ts";
import { countInShards } from "./count-in-shards.ts";

test("counts and percentiles of operations in three shards are those of a database that has them all", async (t) => {
  const [projectId, integrationId] = [newId(), newId()];
  const databases: DataQueries[] = [];
  for (let index = 0; index < 4; index++) {
    const { queries, connectionString } = await testDatabase(t, { isDivided: false });
    await addProject(connectionString, { id: projectId });
    databases.push(queries);
  }
  const [whole, ...parts] = databases as [DataQueries, ...DataQueries[]];
  const startMs = nowMs() - 10 * 60_000;
  const bounds = [0, 5, 10].map((minutes) => new Date(startMs + minutes * 60_000));
  for (let index = 0; index < 30; index++) {
    const id = buildFirstId(startMs + index * 19_000).slice(0, 14) + newId().slice(14);
    const about = { projectId, integrationId, installationId: newId(), configId: newId() };
    const row = {
      id,
      ...about,
      actionType: "write" as const,
      objectName: `object ${index % 4}`,
      claimedBy: 1,
    };
    for (const data of [whole, parts[(index * index) % 3] as DataQueries]) {
      await insertOperations(data, [row]);
      // A third are not ended, and have no duration.
      if (index % 3 > 0)
        await sql`
          update operations set status = ${index % 5 === 0 ? "failure" : "success"}, claimed_by = null,
            update_time = create_time + ${10 * index * index + 7} * interval '1 millisecond'
          where id = ${id}`.execute(data);
    }
  }
  const database = (queries: DataQueries[]) => {
    const shards = queries.map((data, index) => ({ shard: `${index}`, data }));
    return { data: queries[0], shards } as unknown as Parameters<typeof countInShards>[0];
  };
  for (const by of [undefined, "object", "status"] as const) {
    const question = { projectId, bounds, ...(by && { by }) };
    const count = async (queries: DataQueries[]) =>
      (await countInShards(database(queries), "operations", question)).rows.toSorted((one, other) =>
        JSON.stringify([one.bucket, one.key]) < JSON.stringify([other.bucket, other.key]) ? -1 : 1,
      );
    const expected = await count([whole]);
    assert.ok(expected.length > 0);
    assert.deepEqual(await count(parts), expected);
  }
});
