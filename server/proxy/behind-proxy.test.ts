/** Calls that come through a reverse proxy of the operator: whose address counts, and what the provider sees of it. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { acme, callProxy, listLines, startRealProxy } from "../../tests/harness/proxy/real-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import { stockDatabase } from "../../tests/harness/proxy/stock-database.ts";
import { findHeader, startUpstream } from "../../tests/harness/proxy/wire.ts";
import { newApiKey } from "../../ground/ids.ts";
import { insertApiKey } from "../store/access/api-keys.ts";

const ADDED = {
  forwarded: "for=192.0.2.7",
  via: "1.1 Caddy",
  "x-forwarded-for": "192.0.2.7",
  "X-Forwarded-Host": "proxy.example.com",
  "x-forwarded-port": "443",
  "x-forwarded-proto": "https",
  "x-forwarded-server": "edge-1",
  "x-real-ip": "192.0.2.7",
};

/** A proxy that trusts these reverse proxies, and a provider that keeps the headers of the last call. */
async function open(t: TestContext, trustedProxies: string[]) {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const last: { lines: string[] } = { lines: [] };
  const upstream = await startUpstream(({ lines }) => {
    last.lines = lines;
    return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  });
  t.after(async () => upstream.close());
  const { connectionString } = database;
  const proxy = await startRealProxy({ connectionString, provider: acme(upstream.origin), trustedProxies });
  t.after(() => proxy.close());
  const { queries } = proxy.database;
  const stock = await stockDatabase(queries);
  const key = newApiKey();
  const { projectId } = stock;
  const allowedAddresses = ["192.0.2.7"];
  await insertApiKey(queries, { key, projectId, label: "office", scopes: ["proxy"], allowedAddresses });
  return {
    last,
    status: async (more: Record<string, string>) =>
      readStatus(await callProxy(proxy.port, listLines(stock, more))),
    key,
  };
}

test("behind a trusted reverse proxy, a key's addresses are compared with the caller's, and the provider sees no header of the proxy", async (t) => {
  const { last, status, key } = await open(t, ["127.0.0.0/8"]);
  assert.equal(await status({ ...ADDED, "x-api-key": key, "x-other": "kept" }), 200);
  for (const name of Object.keys(ADDED))
    assert.equal(findHeader(last.lines, name.toLowerCase()), undefined, name);
  assert.equal(findHeader(last.lines, "x-other"), "kept");
  assert.equal(await status({ "x-forwarded-for": "192.0.2.7, 198.51.100.1", "x-api-key": key }), 403);
  assert.equal(await status({ "x-api-key": key }), 403);
});

test("from a caller that is no trusted proxy, the same headers prove nothing and reach the provider", async (t) => {
  const { last, status, key } = await open(t, []);
  assert.equal(await status({ ...ADDED, "x-api-key": key }), 403);
  assert.equal(await status(ADDED), 200);
  for (const [name, value] of Object.entries(ADDED))
    assert.equal(findHeader(last.lines, name.toLowerCase()), value, name);
});
