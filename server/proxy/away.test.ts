/** While the database is unavailable, known callers are served; once it is back, they are checked again. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";
import { acme, callProxy, listLines, startRealProxy } from "../../tests/harness/proxy/real-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import { stockDatabase } from "../../tests/harness/proxy/stock-database.ts";
import { until } from "../../tests/harness/until.ts";
import { findHeader, startUpstream } from "../../tests/harness/proxy/wire.ts";

describe("while the database is unavailable", () => {
  it("known callers are served, unknown ones get a 503, and no usage line is lost", async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), "busbar-away-"));
    const log = createLog("silent");
    const upstream = await startUpstream(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let postgres = await startEmbeddedPostgres({ dataDir, log });
    const proxy = await startRealProxy({
      connectionString: postgres.connectionString,
      provider: acme(upstream.origin),
    });
    t.after(async () => {
      await proxy.close();
      upstream.close();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const { queries } = proxy.database;
    const stock = await stockDatabase(queries);
    const stranger = await stockDatabase(queries, { projectName: "stranger" });
    const call = async (lines: string[]) => readStatus(await callProxy(proxy.port, lines));
    // The first success makes the connection a working one, and so another to remember.
    assert.equal(await call(listLines(stock)), 200);
    await proxy.settled();
    assert.equal(await call(listLines(stock)), 200);

    await postgres.stop();
    for (let round = 0; round < 20; round++) assert.equal(await call(listLines(stock)), 200);
    const refusal = await callProxy(proxy.port, listLines(stranger));
    assert.equal(readStatus(refusal), 503);
    assert.equal(findHeader(refusal?.lines ?? [], "x-amp-error"), "true");
    assert.match(findHeader(refusal?.lines ?? [], "retry-after") ?? "", /^[12]$/);

    postgres = await startEmbeddedPostgres({ dataDir, log });
    await until(async () => (await call(listLines(stranger))) === 200);
    await queries
      .updateTable("apiKeys")
      .set({ active: false })
      .where("projectId", "=", stock.projectId)
      .execute();
    await until(async () => (await call(listLines(stock))) === 401);

    await until(async () => {
      const lines = await queries.selectFrom("proxyUsage").selectAll().execute();
      return lines.filter(({ projectId }) => projectId === stock.projectId).length >= 22;
    });
  });
});
