/** Turns among installations: whose writes a claim takes when some have long queues. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { insertAcceptedWrites } from "../../store/operations/accept-writes.ts";
import { WriteTurns } from "./write-turns.ts";

async function openQueue(t: TestContext) {
  const { queries } = await testDatabase(t);
  const { projectId } = await queries
    .transaction()
    .execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const [integrationId, configId] = [newId(), newId()];
  return {
    turns: new WriteTurns(queries, () => 7),
    accept: (installationId: string, count: number, dueMs = 0) =>
      insertAcceptedWrites(
        queries,
        Array.from({ length: count }, () => ({
          operation: {
            id: newId(),
            projectId,
            integrationId,
            installationId,
            configId,
            actionType: "write",
            objectName: "companies",
          },
          writeType: "create" as const,
          sendOptions: {},
          records: [{}],
          recordKeys: [],
          dueMs,
          retryMs: 60_000,
        })),
      ),
  };
}

const installations = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, nth) => `${String(nth + 1).padStart(8, "0")}-0000-4000-8000-000000000000`,
  );

test("a new write is in the next claim, whatever waits of installations that have enough", async (t) => {
  const { turns, accept } = await openQueue(t);
  const slow = installations(24);
  for (const id of slow) await accept(id, 40);
  const healthy = newId();
  await accept(healthy, 1);
  const claimed = await turns.claim(128, (key) => (key === healthy ? 16 : 0));
  assert.deepEqual(
    claimed.map(({ installationId }) => installationId),
    [healthy],
  );
});

test("claims of a long queue visit every installation in turn, and take of each what there is capacity for", async (t) => {
  const { turns, accept } = await openQueue(t);
  const ids = installations(300);
  for (const id of ids) await accept(id, 3);
  const visited: string[] = [];
  for (let claim = 0; claim < 3; claim++)
    visited.push(...(await turns.claim(100, () => 1)).map(({ installationId }) => installationId));
  assert.deepEqual(visited.toSorted(), ids);
});

test("in a short queue the oldest writes go first", async (t) => {
  const { turns, accept } = await openQueue(t);
  const [young = "", old = ""] = installations(2);
  await accept(old, 2);
  await accept(young, 2);
  const claimed = await turns.claim(2, () => 16);
  assert.deepEqual(
    claimed.map(({ installationId }) => installationId),
    [old, old],
  );
});

test("writes that are not due yet are not claimed, in a long queue neither", async (t) => {
  const { turns, accept } = await openQueue(t);
  const [due = "", later = "", large = ""] = installations(3);
  await accept(due, 1);
  await accept(later, 1, 60_000);
  await accept(large, 300);
  const claimed = await turns.claim(128, (key) => (key === large ? 2 : 16));
  assert.deepEqual(
    claimed.map(({ installationId }) => installationId),
    [due, large, large],
  );
});

test("when a long queue has become short, the oldest writes go first again", async (t) => {
  const { turns, accept } = await openQueue(t);
  const [young = "", old = "", large = ""] = installations(3);
  await accept(large, 300);
  for (let left = 300; left > 0;) left -= (await turns.claim(128, () => 300)).length;
  const accepted = new AbortController();
  const accepting = (async () => {
    await accept(old, 2);
    await accept(young, 2);
    await setTimeout(300);
    accepted.abort();
  })();
  // Claims follow each other closely, as under load.
  while (!accepted.signal.aborted) await turns.claim(128, () => 0);
  await accepting;
  const claimed = await turns.claim(2, () => 16);
  assert.deepEqual(
    claimed.map(({ installationId }) => installationId),
    [old, old],
  );
});
