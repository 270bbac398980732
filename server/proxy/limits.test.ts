import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { Problem } from "../../ground/errors.ts";
import { openLimits, type ProxyLimitSettings } from "./limits.ts";
import { startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { until } from "../../tests/harness/until.ts";
import { listen } from "../../tests/harness/proxy/wire.ts";

const limits = (changes: Partial<ProxyLimitSettings>): ProxyLimitSettings => ({
  connectionConcurrency: 0,
  connectionPerSecond: 0,
  projectConcurrency: 0,
  projectPerSecond: 0,
  ...changes,
});
const a = { connectionId: "a", projectId: "p" };
const b = { connectionId: "b", projectId: "p" };
const refused = (error: unknown) =>
  error instanceof Problem && error.status === 429 && !!error.options.retryAfter;

test("without limits nothing is checked", () => {
  assert.equal(openLimits(limits({})), undefined);
});

test("a connection gets no more concurrent calls than its limit, and a new one as soon as one ends", () => {
  const gate = openLimits(limits({ connectionConcurrency: 2 }))!;
  const leave = gate.enter(a);
  gate.enter(a);
  assert.throws(() => gate.enter(a), refused);
  gate.enter(b);
  leave();
  gate.enter(a);
});

test("a project's connections share its limit, and a refused call uses nothing up", () => {
  const gate = openLimits(limits({ projectConcurrency: 2, connectionConcurrency: 1 }))!;
  gate.enter(a);
  assert.throws(() => gate.enter(a), refused);
  gate.enter(b);
  assert.throws(() => gate.enter({ connectionId: "c", projectId: "p" }), refused);
});

test("calls per second: one second's worth passes at once, then the refusal carries a time to retry", () => {
  const gate = openLimits(limits({ connectionPerSecond: 5 }))!;
  for (let call = 0; call < 5; call++) gate.enter(a)();
  assert.throws(() => gate.enter(a), refused);
  gate.enter(b);
});

describe("through the proxy", () => {
  test("the call beyond the limit is answered 429 with Retry-After, and never reaches the provider", async (t) => {
    const release: (() => void)[] = [];
    const upstream = createServer((_request, response) => {
      release.push(() => response.end("done"));
    });
    const port = await listen(upstream);
    const proxy = await startLiteralProxy({
      target: targetAt(`http://127.0.0.1:${port}`),
      limits: openLimits(limits({ connectionConcurrency: 1 })),
    });
    t.after(async () => {
      upstream.closeAllConnections();
      upstream.close();
      await proxy.close();
    });
    const call = () =>
      fetch(`http://127.0.0.1:${proxy.port}/x`, { headers: HEADERS, signal: AbortSignal.timeout(60_000) });
    const first = call();
    await until(() => release.length === 1);
    const second = await call();
    assert.equal(second.status, 429);
    assert.equal(second.headers.get("x-amp-error"), "true");
    assert.ok(Number(second.headers.get("retry-after")) >= 1);
    assert.equal(release.length, 1);
    release[0]?.();
    assert.equal(await (await first).text(), "done");
    const third = call();
    await until(() => release.length === 2);
    release[1]?.();
    assert.equal((await third).status, 200);
  });
});

const HEADERS = {
  "x-amp-proxy-version": "1",
  "x-amp-project-id": "01890000-0000-7000-8000-000000000001",
  "x-api-key": "bb_key",
  "x-amp-installation-id": "01890000-0000-7000-8000-000000000002",
};
