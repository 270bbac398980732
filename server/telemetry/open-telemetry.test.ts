/** What happens to spans whose collector is away, refuses them or never answers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { readTelemetryConfig } from "../../ground/telemetry-config.ts";
import { startOtlpReceiver } from "../../tests/harness/otlp-receiver.ts";
import { until } from "../../tests/harness/until.ts";
import { openTelemetry } from "./open-telemetry.ts";

function open(url: string, env: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const config = readTelemetryConfig({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "20",
    ...env,
  });
  assert.ok(config);
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const { tracer, close } = openTelemetry(config, log);
  const record = (name: string) => tracer?.begin({ name, kind: "internal" }, undefined)?.end();
  const findLine = (msg: RegExp) => until(() => lines.find((line) => msg.test(String(line["msg"]))));
  return { record, close, lines, findLine };
}

test("20,000 spans wait for a collector that is away; the log counts those that were dropped", async () => {
  const collector = await startOtlpReceiver();
  collector.refuseWith = 503;
  const { record, close, lines, findLine } = open(collector.url);
  for (let at = 0; at < 20_500; at++) record("waiting");
  await findLine(/^traces cannot be sent/);
  await until(() => collector.requests.length >= 5);
  assert.equal(lines.filter(({ msg }) => msg === "traces cannot be sent to the collector").length, 1);
  collector.refuseWith = undefined;
  // A batch whose answer comes too late is sent again.
  const arrived = () => new Set(collector.spans.map(({ spanId }) => spanId)).size;
  await until(() => arrived() >= 20_000);
  record("later");
  await until(() => collector.spans.find(({ name }) => name === "later"));
  assert.equal(arrived(), 20_001);
  await findLine(/Dropped 500 spans/);
  await findLine(/^traces are sent again/);
  await close();
  await collector.close();
  assert.deepEqual(collector.unread, []);
});

test("spans that the collector refuses are not sent again, and the log has its status", async () => {
  const collector = await startOtlpReceiver();
  collector.refuseWith = 401;
  const { record, close, findLine } = open(collector.url);
  record("refused");
  assert.equal((await findLine(/^traces cannot be sent/))["status"], 401);
  collector.refuseWith = undefined;
  record("taken");
  await findLine(/^traces are sent again/);
  await close();
  await collector.close();
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ["taken"],
  );
});

test("what waits is sent at the end", async () => {
  const collector = await startOtlpReceiver();
  collector.refuseWith = 503;
  const { record, close, findLine } = open(collector.url, { OTEL_BSP_SCHEDULE_DELAY: "600000" });
  for (let at = 0; at < 1_500; at++) record("waiting");
  await findLine(/^traces cannot be sent/);
  collector.refuseWith = undefined;
  await close();
  await collector.close();
  assert.equal(collector.spans.length, 1_500);
});

test("a collector that never answers does not keep a process from its end", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { record, close } = open(`http://127.0.0.1:${port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: "600000" });
  record("lost");
  await close();
  server.closeAllConnections();
  server.close();
});
