/** Lines of proxied calls are stored in the shards of their customers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createLog } from "../../ground/log.ts";
import { nowMs } from "../../ground/clock.ts";
import { openCustomersInShards } from "../../tests/harness/customers-in-shards.ts";
import { findProxiedInstallation } from "../store/integrations/proxied-installations.ts";
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
