/** Lines of proxied calls are stored in the shards of their customers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createLog } from "../../ground/log.ts";
import { nowMs } from "../../ground/clock.ts";
import { openCustomersInShards } from "../../tests/harness/customers-in-shards.ts";
import { findProxiedInstallation } from "../store/integrations/proxied-installations.ts";
import { listProxyCallsInShards } from "../store/shards/proxy-calls-in-shards.ts";
import { openUsageLog } from "./usage-log.ts";

test("the line of a proxied call is in the shard of its customer, and one of a shard that is gone holds up no other", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const usage = openUsageLog({ database: main, log: createLog("silent") });
  const add = (installationId: string, shard: string | null) =>
    usage.add({
      timeMs: nowMs(),
      projectId,
      installationId,
      shard,
      method: "GET",
      path: "/",
      status: 200,
      durationMs: 1,
      bytesUp: 0,
      bytesDown: 0,
    });
  for (const { installationId } of customers) {
    const found = await findProxiedInstallation(main.control, projectId, { id: installationId });
    add(installationId, found?.shard ?? null);
  }
  add(customers[0]?.installationId ?? "", "gone");
  await usage.close();
  for (const { shard, data } of main.shards) {
    const { rows } = await sql<{ installationId: string }>`select installation_id from proxy_usage`.execute(
      data,
    );
    const own = customers.find((customer) => customer.shard === shard);
    assert.deepEqual(rows, [{ installationId: own?.installationId }], shard);
  }
});

test("the line of a call that ends when its customer has moved is in the new shard, once", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const usage = openUsageLog({ database: main, log: createLog("silent") });
  const nameShard = (shard: string) => (shard === "main" ? null : shard);
  for (const { installationId } of customers)
    for (const { shard } of customers)
      usage.add({
        timeMs: nowMs(),
        projectId,
        installationId,
        // Where the customer was when the call began.
        shard: nameShard(shard),
        method: "GET",
        path: `/begun-in/${shard}`,
        status: 200,
        durationMs: 1,
        bytesUp: 0,
        bytesDown: 0,
      });
  await usage.close();
  for (const { shard, data } of main.shards) {
    const { rows } = await sql<{ installationId: string; path: string }>`
      select installation_id, path from proxy_usage order by path`.execute(data);
    const own = customers.find((customer) => customer.shard === shard);
    assert.deepEqual(
      rows,
      customers
        .map((customer) => ({ installationId: own?.installationId, path: `/begun-in/${customer.shard}` }))
        .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      shard,
    );
  }
});

test("the list of a project has the calls of all shards once, the last begun first, however long its pages are", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const usage = openUsageLog({ database: main, log: createLog("silent") });
  const startMs = nowMs() - 60_000;
  for (let nth = 0; nth < 24; nth++) {
    const { installationId = "", shard = "" } = customers[(nth * nth) % 3] ?? {};
    usage.add({
      // Three calls in each millisecond.
      timeMs: startMs + Math.floor(nth / 3),
      projectId,
      installationId,
      shard: shard === "main" ? null : shard,
      method: "GET",
      path: `/${nth}`,
      status: nth % 4 === 0 ? 404 : 200,
      durationMs: 1,
      bytesUp: 0,
      bytesDown: 0,
    });
  }
  await usage.close();
  const list = async (limit: number, filter: { statuses?: { from: number; to: number } } = {}) => {
    const found = [];
    for (let before: string | undefined; ;) {
      const { rows } = await listProxyCallsInShards(
        main,
        main,
        { projectId, ...filter },
        { limit, ...(before !== undefined && { before }) },
      );
      found.push(...rows);
      if (rows.length < limit) return found;
      before = rows.at(-1)?.position;
    }
  };
  for (const limit of [1, 2, 5, 100]) {
    const all = await list(limit);
    assert.deepEqual(
      all.map(({ path }) => path).toSorted(),
      Array.from({ length: 24 }, (_, nth) => `/${nth}`).toSorted(),
    );
    const times = all.map(({ time }) => time.getTime());
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 24, "an id names one call");
    assert.equal((await list(limit, { statuses: { from: 400, to: 499 } })).length, 6);
  }
  const [newest, ...older] = await list(100);
  const known = older.at(-1);
  const { rows } = await listProxyCallsInShards(
    main,
    main,
    { projectId },
    { limit: 100, after: known?.id ?? "" },
  );
  assert.ok(rows.some(({ id }) => id === newest?.id));
  assert.ok(rows.every(({ id }) => id !== known?.id));
});
