/** Throttle mode: callers learn when to retry, and earlier calls are refused without reaching the provider. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { OURS, startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { refused, readStatus } from "../../tests/harness/proxy/refused.ts";
import {
  dial,
  findHeader,
  startUpstream,
  type RawUpstream,
  type WireMessage,
} from "../../tests/harness/proxy/wire.ts";

const THROTTLED = `GET /x HTTP/1.1\r\n${OURS}\r\nX-Amp-Rate-Limiter-Mode: throttle\r\n\r\n`;
const PLAIN = `GET /x HTTP/1.1\r\n${OURS}\r\n\r\n`;

async function start(t: TestContext, provider: string, answer: () => string) {
  const upstream: RawUpstream = await startUpstream(answer);
  const proxy = await startLiteralProxy({ target: targetAt(upstream.origin, { provider }) });
  t.after(async () => {
    await proxy.close();
    upstream.close();
  });
  const call = async (bytes: string): Promise<WireMessage | undefined> => {
    const { socket, reader } = await dial(proxy.port);
    socket.write(bytes);
    const message = await reader.message();
    reader.close();
    return message;
  };
  return { upstream, proxy, call };
}

const answer = (status: number, lines: string[], body = "slow down"): string =>
  [`HTTP/1.1 ${status} Whatever`, ...lines, `Content-Length: ${body.length}`, "", body].join("\r\n");

/** Seconds from now until the time that the answer recommends. */
function readWait(message: WireMessage | undefined): number {
  const text = findHeader(message?.lines ?? [], "x-amp-retry-after") ?? "";
  assert.match(text, /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} UTC$/);
  return (Date.parse(text) - Date.now()) / 1_000;
}

/** Some seconds may have passed on a busy machine; a guess is a second or two. */
const near = (seconds: number, expected: number) =>
  assert.ok(seconds > expected - 20 && seconds < expected + 2, `${seconds} is about ${expected}`);

describe("throttle mode", () => {
  it("passes the provider's 429 with the recommended time, and refuses calls before that time", async (t) => {
    const { upstream, proxy, call } = await start(t, "test", () => answer(429, ["Retry-After: 30"]));
    const first = await call(THROTTLED);
    assert.equal(first?.startLine, "HTTP/1.1 429 Whatever");
    assert.equal(first?.body.toString(), "slow down");
    near(readWait(first), 30);
    assert.equal(findHeader(first?.lines ?? [], "x-amp-retryable"), "true");
    assert.equal(findHeader(first?.lines ?? [], "x-amp-error"), undefined);

    const early = await refused(proxy.port, THROTTLED);
    assert.equal(readStatus(early.answer), 429);
    near(readWait(early.answer), 30);
    assert.equal(findHeader(early.answer.lines, "x-amp-retryable"), "true");
    near(Number(findHeader(early.answer.lines, "retry-after")), 30);
    assert.equal(upstream.received.length, 1);
  });

  it("lets calls through again at the recommended time", async (t) => {
    let status = 429;
    const { call } = await start(t, "test", () => answer(status, []));
    const first = await call(THROTTLED);
    assert.ok(readWait(first) <= 2);
    status = 200;
    await new Promise((resolve) => setTimeout(resolve, readWait(first) * 1_000 + 5));
    assert.equal(readStatus(await call(THROTTLED)), 200);
  });

  it("does not affect calls without the mode, and their 429 does not close the gate", async (t) => {
    const { upstream, call } = await start(t, "test", () => answer(429, ["Retry-After: 30"]));
    const untouched = await call(PLAIN);
    assert.equal(readStatus(untouched), 429);
    assert.equal(findHeader(untouched?.lines ?? [], "x-amp-retry-after"), undefined);
    await call(THROTTLED);
    assert.equal(upstream.received.length, 2);
    assert.equal(readStatus(await call(PLAIN)), 429);
    assert.equal(upstream.received.length, 3);
  });

  it("does not change other answers, errors and bodies included", async (t) => {
    for (const provider of ["test", "hubspot"]) {
      for (const status of [200, 204, 400, 403, 404, 500, 503]) {
        const { call } = await start(t, provider, () =>
          answer(status, ["X-A: 1"], status === 204 ? "" : "body"),
        );
        const got = await call(THROTTLED);
        assert.equal(readStatus(got), status);
        assert.equal(got?.body.toString(), status === 204 ? "" : "body");
        assert.equal(findHeader(got?.lines ?? [], "x-amp-retry-after"), undefined);
      }
    }
  });

  it("refuses an unknown mode", async (t) => {
    const { proxy } = await start(t, "test", () => answer(200, []));
    const { answer: got } = await refused(proxy.port, THROTTLED.replace("throttle", "turbo"));
    assert.equal(readStatus(got), 400);
  });

  it("waits for a daily quota of HubSpot until midnight, from the body", async (t) => {
    const body = JSON.stringify({
      status: "error",
      message: "You have reached your daily limit.",
      errorType: "RATE_LIMIT",
      policyName: "DAILY",
    });
    const { call } = await start(t, "hubspot", () => answer(429, [], body));
    const got = await call(THROTTLED);
    assert.equal(got?.body.toString(), body);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    near(readWait(got), (midnight.getTime() - Date.now()) / 1_000);
  });

  it("recognizes the 403 that GitHub sends for a used-up quota", async (t) => {
    const reset = Math.floor(Date.now() / 1_000) + 90;
    const lines = ["X-RateLimit-Remaining: 0", `X-RateLimit-Reset: ${reset}`];
    const { upstream, call } = await start(t, "github", () => answer(403, lines));
    const got = await call(THROTTLED);
    assert.equal(readStatus(got), 403);
    near(readWait(got), reset - Date.now() / 1_000);
    assert.equal(readStatus(await call(THROTTLED)), 429);
    assert.equal(upstream.received.length, 1);
  });
});
