/** Traces, metrics and ids in the log, as an operator sees them in a collector, with one process for requests and one that works. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import { openAgent } from "../harness/agent-client.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { drawRoute } from "../harness/deliveries/routes.ts";
import { openSink, type Received, type Sink } from "../harness/deliveries/sink.ts";
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from "../harness/otlp-receiver.ts";
import { until } from "../harness/until.ts";

const SERVER = 2;
const TOKEN = "of-the-collector";
const newTrace = (): string => crypto.randomUUID().replaceAll("-", "");
const CALLER_SPAN = "00f067aa0ba902b7";
const findCaller = (traceId: string, flags = "01") => ({
  traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}`,
  baggage: "user=ada",
});

describe("traces, metrics and log lines", () => {
  let busbar: TestBusbar;
  let collector: OtlpReceiver;
  let sink: Sink;
  let acme: Customer;
  const lines: Record<string, unknown>[] = [];
  after(async () => {
    await busbar.stop();
    await Promise.all([collector.close(), sink.close()]);
    assert.deepEqual(collector.unread, []);
  });
  before(async () => {
    collector = await startOtlpReceiver();
    sink = await openSink();
    busbar = await openTestBusbar({
      log: createLog("debug", { write: (line) => void lines.push(JSON.parse(line)) }),
      env: {
        BUSBAR_ROLES: "api,proxy",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
        OTEL_BSP_SCHEDULE_DELAY: "50",
        OTEL_METRIC_EXPORT_INTERVAL: "200",
        BUSBAR_RETRY_BASE_SECONDS: "0.02",
      },
    });
    await busbar.sibling({ BUSBAR_ROLES: "worker", OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" });
    busbar.sandbox.hubspot.setLimits("off");
    await drawRoute(busbar, `${sink.url}/hook`, ["write.async.done"]);
    acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
  });

  const create = (mode: string, email: string, headers: Record<string, string>) =>
    acme.write("contacts", { type: "create", mode, record: { email } }, headers);
  const awaitReceived = (operationId: string): Promise<Received> =>
    until(() => sink.received.find(({ message }) => message.data["operationId"] === operationId));
  const listSpans = (traceId: string): ReceivedSpan[] =>
    collector.spans.filter((span) => span.traceId === traceId);
  const findSpan = (traceId: string, name: string): Promise<ReceivedSpan> =>
    until(() => listSpans(traceId).find((span) => span.name === name));
  const findLine = (wanted: Record<string, unknown>): Promise<Record<string, unknown>> =>
    until(() => lines.find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value)));

  test("a queued write is one trace: request, queue, attempt in another process, provider and webhook", async () => {
    const traceId = newTrace();
    const accepted = await create("asynchronous", "ada@example.com", findCaller(traceId));
    assert.equal(accepted.status, 200, accepted.text);
    const { operationId } = accepted.body;
    const message = await awaitReceived(operationId);

    const delivery = await findSpan(traceId, "deliver to webhook");
    const request = await until(() => listSpans(traceId).find(({ kind }) => kind === SERVER));
    const queue = await findSpan(traceId, "queue write");
    const attempt = await findSpan(traceId, "attempt write");
    const call = await findSpan(traceId, "POST hubspot");
    assert.equal(request.parentSpanId, CALLER_SPAN);
    assert.equal(queue.parentSpanId, request.spanId);
    assert.equal(attempt.parentSpanId, queue.spanId);
    assert.equal(call.parentSpanId, attempt.spanId);
    assert.equal(delivery.parentSpanId, attempt.spanId);
    assert.deepEqual(readTraceparent(message.headers["traceparent"]), {
      traceId,
      spanId: delivery.spanId,
      sampled: true,
    });
    const instance = "service.instance.id";
    assert.equal(request.resource["service.name"], "busbar");
    assert.equal(request.resource["deployment.environment.name"], "test");
    assert.notEqual(
      request.resource[instance],
      attempt.resource[instance],
      "another process made the attempt",
    );
    assert.equal(attempt.attributes["busbar.operation.id"], operationId);
    assert.equal(call.attributes["http.response.status_code"], 201);
    assert.ok(collector.requests.every(({ headers }) => headers["authorization"] === `Bearer ${TOKEN}`));
  });

  test("the provider learns nothing of the caller's trace, neither by a write nor by a proxied call", async () => {
    const traceId = newTrace();
    await create("synchronous", "grace@example.com", findCaller(traceId));
    const proxied = await acme.proxied("/crm/v3/objects/contacts?limit=1", findCaller(traceId));
    assert.equal(proxied.status, 200, proxied.text);
    const call = await findSpan(traceId, "proxy GET hubspot");
    const sent = await findSpan(traceId, "GET hubspot");
    assert.deepEqual([call.parentSpanId, sent.parentSpanId], [CALLER_SPAN, call.spanId]);
    for (const { headers } of busbar.sandbox.requests()) {
      assert.equal(headers["traceparent"] ?? headers["tracestate"] ?? headers["baggage"], undefined);
    }
  });

  test("an agent's call goes on with the trace that its message names, and is a span with the provider's call below it", async () => {
    const agent = await openAgent(busbar);
    const call = async (args: Record<string, unknown>): Promise<string> => {
      const traceId = newTrace();
      const { traceparent } = findCaller(traceId);
      await agent.client.callTool({ name: "search_records", arguments: args, _meta: { traceparent } });
      return traceId;
    };
    const traceId = await call({ object: "contacts" });
    const tool = await findSpan(traceId, "tools/call search_records");
    const message = await findSpan(traceId, "agent message");
    const sent = await until(() =>
      listSpans(traceId).find(({ parentSpanId }) => parentSpanId === tool.spanId),
    );
    assert.deepEqual([message.parentSpanId, tool.parentSpanId], [CALLER_SPAN, message.spanId]);
    assert.match(sent.name, /^[A-Z]+ hubspot$/);
    const refused = await call({ object: "nothing" });
    assert.ok((await findSpan(refused, "tools/call search_records")).failed);
    await agent.close();
  });

  test("spans name no host, path, record or customer", async () => {
    const written = JSON.stringify(collector.spans, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    for (const secret of ["example.com", "acme", "127.0.0.1", "/crm/v3", busbar.apiKey, TOKEN]) {
      assert.ok(!written.includes(secret), secret);
    }
  });

  test("a refused stranger makes no span and joins no trace", async () => {
    const traceId = newTrace();
    const answer = await busbar.call("GET", "/v1/projects/default/connections", undefined, {
      ...findCaller(traceId),
      "x-api-key": "bb_wrong",
    });
    assert.equal(answer.status, 401);
    const later = newTrace();
    await busbar.call("GET", "/v1/projects", undefined, findCaller(later));
    await until(() => listSpans(later)[0]);
    assert.deepEqual(listSpans(traceId), []);
  });

  test("a caller that does not record its trace is followed, and the webhook gets its context as it was", async () => {
    const traceId = newTrace();
    const { body } = await create("asynchronous", "kay@example.com", findCaller(traceId, "00"));
    const { headers } = await awaitReceived(body.operationId);
    assert.equal(headers["traceparent"], `00-${traceId}-${CALLER_SPAN}-00`);
    const later = newTrace();
    await busbar.call("GET", "/v1/projects", undefined, findCaller(later));
    await until(() => listSpans(later)[0]);
    assert.deepEqual(listSpans(traceId), []);
  });

  test("the metrics of Prometheus arrive by OTLP, and are not served without BUSBAR_METRICS", async () => {
    await create("asynchronous", "ida@example.com", {});
    await acme.proxied("/crm/v3/objects/contacts?limit=1");
    // Each process sends its own values.
    const findPoint = (metric: string, type: string, labels: Record<string, unknown>) =>
      until(() =>
        collector.metrics
          .find((one) => one.name === metric && one.type === type)
          ?.points.find(({ attributes, value, count }) => {
            const isWanted = Object.entries(labels).every(([name, label]) => attributes[name] === label);
            return isWanted && (value ?? count ?? 0) > 0;
          }),
      );
    await findPoint("busbar_writes_accepted_total", "sum", { mode: "asynchronous" });
    await findPoint("busbar_proxy_call_duration_seconds", "histogram", { status: "2xx" });
    await findPoint("busbar_database_up", "gauge", {});
    assert.equal((await busbar.call("GET", "/metrics")).status, 404);
  });

  test("spans wait for a collector that is away, and the log says so once and when it is back", async () => {
    const traceId = newTrace();
    collector.refuseWith = 503;
    await busbar.call("GET", "/v1/projects", undefined, findCaller(traceId));
    await findLine({ msg: "traces cannot be sent to the collector" });
    collector.refuseWith = undefined;
    await until(() => listSpans(traceId)[0]);
    await findLine({ msg: "traces are sent again" });
  });

  test("a log line has the ids of what it is about: request, project, installation, connection, operation, trace", async () => {
    const traceId = newTrace();
    const answer = await create("asynchronous", "lin@example.com", findCaller(traceId));
    const { operationId } = answer.body;
    const requestId = answer.headers.get("x-request-id");
    const { projectId } = busbar;
    const { installationId, connectionId } = acme;
    const line = await findLine({ msg: "request", requestId });
    assert.deepEqual(
      [line["projectId"], line["installationId"], line["connectionId"], line["operationId"], line["traceId"]],
      [projectId, installationId, connectionId, operationId, traceId],
    );

    const wrong = await busbar.write("hubspot", "contacts", {
      groupRef: "nobody",
      type: "create",
      record: {},
    });
    assert.equal(wrong.status, 400);
    const refused = await findLine({ msg: "request", requestId: wrong.headers.get("x-request-id") });
    assert.deepEqual([refused["projectId"], refused["operationId"]], [projectId, undefined]);

    busbar.sandbox.hubspot.revokeTokens();
    await create("synchronous", "eve@example.com", {});
    const warning = await findLine({ level: "warn", connectionId });
    assert.equal(warning["projectId"], projectId);
    for (const path of ["/healthz", "/readyz"]) {
      const checked = await busbar.call("GET", path);
      const { level } = await findLine({ msg: "request", requestId: checked.headers.get("x-request-id") });
      assert.equal(
        level,
        checked.status === 200 ? "debug" : "info",
        "no line every second at the default level",
      );
    }
    const text = JSON.stringify(lines);
    for (const secret of [busbar.apiKey, TOKEN, "lin@example.com"]) assert.ok(!text.includes(secret), secret);
  });
});
