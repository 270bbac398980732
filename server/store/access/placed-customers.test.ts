/** New customers are placed by weight. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { stockDatabase } from "../../../tests/harness/proxy/stock-database.ts";
import { newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";
import { drainShard } from "../shards/shard-registry.ts";
import { drawPlace, upsertGroup } from "./customers.ts";

const insertShard = (queries: ControlQueries, name: string, weight: number, state: string) =>
  sql`
    insert into shards (id, name, url_sealed, slot, weight, state)
    values (${newId()}, ${name}, 'sealed', ${`slot_${name}`}, ${weight}, ${state})`.execute(queries);

/** Computes the number of a reference anew: the first six bytes of its hash. */
const draw = (projectId: string, groupRef: string): number =>
  Number.parseInt(createHash("sha256").update(`${projectId} ${groupRef}`).digest("hex").slice(0, 12), 16) /
  2 ** 48;

test("new customers are divided by the weights of main and the active shards; no other shard gets any", async (t) => {
  const { queries } = await testDatabase(t, { isDivided: false });
  const { projectId } = await stockDatabase(queries);
  const place = async (groupRef: string, mainWeight?: number) => {
    await upsertGroup(queries, { projectId, groupRef }, mainWeight);
    const { rows } = await sql<{ shard: string | null }>`
      select shard from groups where project_id = ${projectId} and group_ref = ${groupRef}`.execute(queries);
    return rows[0]?.shard;
  };
  assert.equal(await place("alone"), null);
  for (const state of ["adding", "opening", "draining", "removing", "failed"])
    await insertShard(queries, state, 1_000, state);
  await insertShard(queries, "a", 2, "active");
  await insertShard(queries, "b", 3, "active");
  await insertShard(queries, "none", 0, "active");
  const refs = Array.from({ length: 60 }, (_, nth) => `customer ${nth}`);
  // The main one has a sixth, `a` two sixths, `b` the other half.
  for (const groupRef of refs) {
    const drawn = draw(projectId, groupRef);
    assert.equal(await place(groupRef), drawn < 1 / 6 ? null : drawn < 1 / 2 ? "a" : "b", groupRef);
  }
  assert.equal(await drainShard(queries, "b"), true);
  assert.equal(await drainShard(queries, "b"), true, "it may be repeated");
  assert.equal(await drainShard(queries, "failed"), false);
  const nobodyMoves = refs.find((groupRef) => draw(projectId, groupRef) >= 1 / 2) ?? "";
  assert.equal(await place(nobodyMoves), "b");
  for (const groupRef of refs.map((ref) => `later ${ref}`))
    assert.equal(await place(groupRef, 0), "a", "the drained shard and main get none");
  await drainShard(queries, "a");
  assert.equal(await place("last", 0), null, "with no active shard, main has to take them");
});

test("the numbers of references are evenly distributed", () => {
  const counts = [0, 0, 0, 0, 0];
  for (let nth = 0; nth < 10_000; nth++) {
    const fifth = Math.floor(drawPlace({ projectId: "p", groupRef: `customer-${nth}` }) * 5);
    counts[fifth] = (counts[fifth] ?? 0) + 1;
  }
  assert.equal(counts.length, 5);
  // Four standard deviations of the binomial distribution.
  for (const count of counts)
    assert.ok(Math.abs(count - 2_000) < 4 * Math.sqrt(10_000 * 0.2 * 0.8), `${counts}`);
});
