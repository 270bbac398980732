/** A refused token is replaced once, and the call repeated where that is possible. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { OURS, startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import { until } from "../../tests/harness/until.ts";
import {
  dial,
  findHeader,
  startUpstream,
  type RawUpstream,
  type WireMessage,
} from "../../tests/harness/proxy/wire.ts";

const REFUSAL = '{"error":"expired"}';

interface Started {
  upstream: RawUpstream;
  port: number;
  refreshes: number;
  call(bytes: string | Buffer): Promise<WireMessage | undefined>;
}

/** A provider that takes only `fresh-token`, and a target that has `old-token` until it is refreshed. */
async function start(
  t: TestContext,
  options: { refresh?: "works" | "fails" | "same"; refreshable?: boolean; refusal?: string } = {},
): Promise<Started> {
  const { refresh = "works", refreshable = true, refusal = REFUSAL } = options;
  const upstream = await startUpstream((request) =>
    findHeader(request.lines, "authorization") === "Bearer fresh-token"
      ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      : `HTTP/1.1 401 Who Are You\r\nWWW-Authenticate: Bearer\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`,
  );
  const target = targetAt(upstream.origin, { headers: ["Authorization", "Bearer old-token"], refreshable });
  const started: Started = {
    upstream,
    port: 0,
    refreshes: 0,
    async call(bytes) {
      const { socket, reader } = await dial(started.port);
      socket.write(bytes);
      const answer = await reader.message();
      reader.close();
      return answer;
    },
  };
  const proxy = await startLiteralProxy({
    target,
    refresh: async (refused) => {
      started.refreshes += 1;
      if (refresh === "fails") throw new Error("invalid_grant");
      return refresh === "same" ? refused : { ...refused, headers: ["Authorization", "Bearer fresh-token"] };
    },
  });
  started.port = proxy.port;
  t.after(async () => {
    await proxy.close();
    upstream.close();
  });
  return started;
}

const post = (body: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ]);
const GET = `GET /x HTTP/1.1\r\n${OURS}\r\n\r\n`;

describe("a 401 of the provider", () => {
  it("to a call without a body leads to a new token and one repetition", async (t) => {
    const started = await start(t);
    assert.equal(readStatus(await started.call(GET)), 200);
    assert.equal(started.upstream.received.length, 2);
    assert.equal(started.refreshes, 1);
  });

  it("to a call with a small body repeats it with the same body", async (t) => {
    const started = await start(t);
    const body = Buffer.alloc(64 * 1024, "é");
    assert.equal(readStatus(await started.call(post(body))), 200);
    assert.ok(started.upstream.received.every((request) => request.body.equals(body)));
    assert.equal(started.upstream.received.length, 2);
  });

  it("to a call with a small body in chunks repeats it with the same body", async (t) => {
    const started = await start(t);
    const chunked = `POST /x HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`;
    assert.equal(readStatus(await started.call(chunked)), 200);
    assert.deepEqual(
      started.upstream.received.map(({ body }) => body.toString()),
      ["abcdef", "abcdef"],
    );
  });

  it("to a call with a large body passes, and the next call has the new token", async (t) => {
    const started = await start(t);
    const answer = await started.call(post(Buffer.alloc(200_000)));
    assert.equal(answer?.startLine, "HTTP/1.1 401 Who Are You");
    assert.equal(answer?.body.toString(), REFUSAL);
    await until(() => started.refreshes === 1);
    assert.equal(started.upstream.received.length, 1);
  });

  it("passes unchanged when the token cannot be refreshed", async (t) => {
    for (const refresh of ["fails", "same"] as const) {
      const started = await start(t, { refresh });
      const answer = await started.call(GET);
      assert.equal(answer?.startLine, "HTTP/1.1 401 Who Are You");
      assert.deepEqual(answer?.lines.slice(0, 2), [
        "WWW-Authenticate: Bearer",
        `Content-Length: ${REFUSAL.length}`,
      ]);
      assert.equal(answer?.body.toString(), REFUSAL);
      assert.equal(started.upstream.received.length, 1);
    }
  });

  it("passes when the connection has nothing to refresh", async (t) => {
    const started = await start(t, { refreshable: false });
    assert.equal(readStatus(await started.call(GET)), 401);
    assert.equal(started.refreshes, 0);
  });

  it("too long to be held back passes unchanged", async (t) => {
    const refusal = "x".repeat(300_000);
    const started = await start(t, { refusal });
    const answer = await started.call(GET);
    assert.equal(readStatus(answer), 401);
    assert.equal(answer?.body.toString(), refusal);
    await until(() => started.refreshes === 1);
  });

  it("to a HEAD request is repeated like any other", async (t) => {
    const started = await start(t);
    const { socket, reader } = await dial(started.port);
    socket.write(GET.replace("GET", "HEAD"));
    assert.equal(readStatus(await reader.message("none")), 200);
    reader.close();
  });
});
