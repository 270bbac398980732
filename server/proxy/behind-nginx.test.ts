/** Calls through a real nginx with the shipped configuration: it takes nothing from the provider's answer, and adds nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { noNginx, startNginx, type Nginx } from "../../tests/harness/nginx.ts";
import { acme, listLines, startRealProxy, type RealProxy } from "../../tests/harness/proxy/real-proxy.ts";
import { stockDatabase } from "../../tests/harness/proxy/stock-database.ts";
import { findHeader, startUpstream, type RawUpstream } from "../../tests/harness/proxy/wire.ts";

describe("behind nginx", { skip: noNginx }, () => {
  let upstream: RawUpstream;
  let proxy: RealProxy & { port: number };
  let nginx: Nginx;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let own: Record<string, string>;
  let received: string[] = [];
  let answerLines: string[] = [];
  before(async () => {
    database = await createTestDatabase();
    upstream = await startUpstream(({ lines }) => {
      received = lines;
      return ["HTTP/1.1 200 OK", "Content-Length: 2", ...answerLines, "", "ok"].join("\r\n");
    });
    const { connectionString } = database;
    proxy = await startRealProxy({ connectionString, provider: acme(upstream.origin) });
    const stock = await stockDatabase(proxy.database.queries);
    own = Object.fromEntries(listLines(stock).map((line) => line.split(": ") as [string, string]));
    nginx = await startNginx({ api: proxy.port, proxy: proxy.port });
  });
  after(async () => {
    await nginx.stop();
    await proxy.close();
    upstream.close();
    await database.drop();
  });

  async function call(more: Record<string, string> = {}): Promise<{ answer: IncomingMessage; body: string }> {
    const host = "proxy.busbar.example.com";
    const asked = request({
      port: nginx.port,
      path: "/x",
      servername: host,
      rejectUnauthorized: false,
      maxHeaderSize: 128 * 1024,
      headers: { ...own, ...more, host },
    }).end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return { answer, body: await text(answer) };
  }

  test("an answer with 40 KB of headers arrives whole", async () => {
    const cookies = Array.from({ length: 20 }, (_, index) => `c${index}=${"x".repeat(2_000)}`);
    answerLines = cookies.map((cookie) => `Set-Cookie: ${cookie}`);
    const { answer, body } = await call();
    assert.equal(answer.statusCode, 200, body);
    assert.equal(body, "ok");
    assert.deepEqual(answer.headers["set-cookie"], cookies);
  });

  test("a request with 24 KB of headers, of which one has 15 KB, reaches the provider", async () => {
    answerLines = [];
    const long = { "x-long": "y".repeat(15_000), "x-longer": "z".repeat(9_000) };
    const { answer, body } = await call(long);
    assert.equal(answer.statusCode, 200, body);
    for (const [name, value] of Object.entries(long)) assert.equal(findHeader(received, name), value);
  });

  test("names with underscores and dots pass in both directions", async () => {
    answerLines = ["x_rate_limit: 7", "x.next~page: 2"];
    const { answer } = await call({ x_custom: "kept", "x.dotted": "kept" });
    assert.equal(findHeader(received, "x_custom"), "kept");
    assert.equal(findHeader(received, "x.dotted"), "kept");
    assert.equal(answer.headers["x_rate_limit"], "7");
    assert.equal(answer.headers["x.next~page"], "2");
  });

  test("nginx obeys no header of a provider, and replaces none", async () => {
    answerLines = [
      "X-Accel-Redirect: /metrics",
      "X-Accel-Buffering: yes",
      "Server: Acme/1",
      "Date: Tue, 03 Feb 2026 04:05:06 GMT",
      "Cache-Control: no-store",
    ];
    const { answer, body } = await call();
    assert.equal(answer.statusCode, 200, body);
    assert.equal(body, "ok");
    assert.equal(answer.headers["x-accel-redirect"], "/metrics");
    assert.equal(answer.headers["server"], "Acme/1");
    assert.equal(answer.headers["date"], "Tue, 03 Feb 2026 04:05:06 GMT");
    assert.equal(answer.headers["cache-control"], "no-store");
  });
});
