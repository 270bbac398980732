/** Fields that follow a body pass in both directions, and carry nothing across that a head could not. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  OURS,
  startLiteralProxy,
  targetAt,
  type LiteralProxy,
} from "../../tests/harness/proxy/literal-proxy.ts";
import { refused, statusOf } from "../../tests/harness/proxy/refused.ts";
import { until } from "../../tests/harness/until.ts";
import type { Target } from "./targets.ts";
import { dial, startUpstream, type RawUpstream, type WireMessage } from "../../tests/harness/proxy/wire.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const upload = (lines: string, trailers = "X-Sum: 1\r\n", body = "5\r\nhello\r\n") =>
  `POST /x HTTP/1.1\r\n${OURS}\r\n${lines}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n${trailers}\r\n`;

async function start(
  t: TestContext,
  answer: Parameters<typeof startUpstream>[0],
  more: Partial<Target> = {},
  options: Omit<Parameters<typeof startLiteralProxy>[0], "target"> = {},
): Promise<{ upstream: RawUpstream; proxy: LiteralProxy }> {
  const upstream = await startUpstream(answer);
  const proxy = await startLiteralProxy({ target: targetAt(upstream.origin, more), ...options });
  t.after(async () => {
    await proxy.close();
    upstream.close();
  });
  return { upstream, proxy };
}

async function call(port: number, bytes: string): Promise<WireMessage | undefined> {
  const { socket, reader } = await dial(port);
  socket.write(Buffer.from(bytes, "latin1"));
  const answer = await reader.message();
  reader.close();
  return answer;
}

describe("trailers of a request", () => {
  it("that are announced reach the provider with the announcement", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    const answer = await call(proxy.port, upload("Trailer: X-Sum\r\n", "X-Sum: 1\r\nx-SUM:  \xe9 \r\n"));
    assert.equal(statusOf(answer), 200);
    const [got] = upstream.received;
    assert.ok(got?.lines.includes("Trailer: X-Sum"));
    assert.equal(got?.body.toString(), "hello");
    assert.deepEqual(got?.trailers, ["X-Sum: 1", "x-SUM: \xe9"]);
    assert.equal(proxy.uses[0]?.bytesUp, 5);
  });

  it("pass behind an empty body too", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    assert.equal(statusOf(await call(proxy.port, upload("Trailer: X-Sum\r\n", "X-Sum: 1\r\n", ""))), 200);
    assert.deepEqual(upstream.received[0]?.trailers, ["X-Sum: 1"]);
  });

  it("that nobody announced are left out", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    assert.equal(statusOf(await call(proxy.port, upload(""))), 200);
    assert.deepEqual(upstream.received[0]?.trailers, []);
  });

  it("cannot replace the credentials, ours or the provider's", async (t) => {
    const key = { headers: ["X-Key", "provider's"], replaces: new Set(["x-key"]) };
    const { upstream, proxy } = await start(t, () => OK, key);
    const trailers = "Authorization: Bearer mine\r\nX-Key: mine\r\nCookie: a=b\r\nX-Hop: 1\r\nX-Sum: 1\r\n";
    await call(proxy.port, upload("Connection: X-Hop\r\nTrailer: X-Key\r\n", trailers));
    assert.deepEqual(upstream.received[0]?.trailers, ["X-Sum: 1"]);
  });

  it("are sent again with the body when the token was refreshed", async (t) => {
    const expired = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
    const headers = ["Authorization", "Bearer new"];
    const { upstream, proxy } = await start(
      t,
      ({ lines }) => (lines.includes("Authorization: Bearer new") ? OK : expired),
      { refreshable: true },
      { refresh: async (target) => ({ ...target, headers }) },
    );
    assert.equal(statusOf(await call(proxy.port, upload("Trailer: X-Sum\r\n"))), 200);
    assert.deepEqual(
      upstream.received.map(({ body, trailers }) => [body.toString(), ...trailers]),
      [
        ["hello", "X-Sum: 1"],
        ["hello", "X-Sum: 1"],
      ],
    );
  });

  it("never come when the caller leaves, and the call to the provider ends", async (t) => {
    const { upstream, proxy } = await start(t, () => undefined);
    const { socket } = await dial(proxy.port);
    socket.write(
      `POST /x HTTP/1.1\r\n${OURS}\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    );
    await until(() => upstream.sockets.size === 1);
    socket.destroy();
    await until(() => upstream.sockets.size === 0);
    assert.equal(upstream.received.length, 0);
  });

  it("do not open private addresses", async (t) => {
    const proxy = await startLiteralProxy({ target: targetAt("http://10.1.2.3") });
    t.after(() => proxy.close());
    const { answer, problem } = await refused(proxy.port, upload("Trailer: X-Sum\r\n"));
    assert.equal(statusOf(answer), 502);
    assert.match(problem.detail, /private/);
  });

  it("end in a 502, a 504 or a broken answer like any call that fails", async (t) => {
    const answers: Record<string, Parameters<typeof startUpstream>[0]> = {
      502: (_, socket) => void socket.destroy(),
      504: () => undefined,
    };
    for (const [status, answer] of Object.entries(answers)) {
      const { proxy } = await start(t, answer, {}, { answerTimeoutMs: 100 });
      const refusal = await refused(proxy.port, upload("Trailer: X-Sum\r\n"));
      assert.equal(statusOf(refusal.answer), Number(status));
    }
    const half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    const { upstream, proxy } = await start(t, () => half, {}, { idleTimeoutMs: 100 });
    assert.equal(await call(proxy.port, upload("Trailer: X-Sum\r\n")), undefined);
    await until(() => upstream.sockets.size === 0);
  });
});

describe("trailers of an answer", () => {
  const TRAILED = "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nX-SUM: 2\r\n\r\n";

  it("pass, announced or not, but never as ours", async (t) => {
    const { proxy } = await start(t, ({ startLine }) =>
      startLine.includes("/announced")
        ? `HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\n${TRAILED}`
        : `HTTP/1.1 200 OK\r\n${TRAILED.replace("X-SUM", "X-Amp-Error: true\r\nX-SUM")}`,
    );
    for (const path of ["/announced", "/not"]) {
      const answer = await call(proxy.port, `GET ${path} HTTP/1.1\r\n${OURS}\r\n\r\n`);
      assert.deepEqual(answer?.trailers, ["X-Sum: 1", "X-SUM: 2"]);
      assert.equal(answer?.lines.includes("Trailer: X-Sum"), path === "/announced");
    }
  });

  it("pass with a 401 that was held back in vain", async (t) => {
    const refusal = `HTTP/1.1 401 Unauthorized\r\n${TRAILED}`;
    const { proxy } = await start(t, () => refusal, { refreshable: true });
    const answer = await call(proxy.port, `GET /x HTTP/1.1\r\n${OURS}\r\n\r\n`);
    assert.equal(statusOf(answer), 401);
    assert.deepEqual(answer?.trailers, ["X-Sum: 1", "X-SUM: 2"]);
  });

  it("stay here when the caller speaks HTTP/1.0, which has none", async (t) => {
    const { proxy } = await start(t, () => `HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\n${TRAILED}`);
    const { socket, reader } = await dial(proxy.port);
    socket.write(`GET /x HTTP/1.0\r\n${OURS}\r\n\r\n`);
    const answer = await reader.message("until-close");
    assert.equal(answer?.body.toString(), "ok");
    assert.ok(!answer?.lines.some((line) => /^trailer:/i.test(line)));
  });

  it("are asked for by the caller alone: TE passes with this value and no other", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    for (const te of ["Connection: TE\r\nTE: trailers", "TE: gzip;q=0.5, trailers", "TE: gzip", "X: 1"]) {
      await call(proxy.port, `GET /x HTTP/1.1\r\n${OURS}\r\n${te}\r\n\r\n`);
    }
    const asked = upstream.received.map(({ lines }) => lines.filter((line) => line.startsWith("TE")));
    assert.deepEqual(asked, [["TE: trailers"], ["TE: trailers"], [], []]);
  });
});
