/** The variables of OpenTelemetry, as operators and platforms set them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StartError } from "./errors.ts";
import { readTelemetryConfig } from "./telemetry-config.ts";

const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318/";

test("nothing is sent unless a collector is named, or if it is switched off", () => {
  const SERVICE = { OTEL_SERVICE_NAME: "busbar", OTEL_TRACES_SAMPLER: "always_on" };
  assert.equal(readTelemetryConfig(SERVICE), undefined);
  assert.equal(readTelemetryConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }), undefined);
  const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" };
  assert.equal(readTelemetryConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...none }), undefined);
});

test("the addresses of traces and metrics are derived from the collector's, or their own", () => {
  const both = readTelemetryConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com/tenant/" });
  assert.equal(both?.tracesUrl?.href, "https://otlp.example.com/tenant/v1/traces");
  assert.equal(both?.metricsUrl?.href, "https://otlp.example.com/tenant/v1/metrics");
  const own = readTelemetryConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://tempo:4318/otlp" });
  assert.equal(own?.tracesUrl?.href, "http://tempo:4318/otlp");
  assert.equal(own?.metricsUrl, undefined);
});

test("headers and attributes are decoded, and the name of the service wins", () => {
  const read = readTelemetryConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, x-scope=a%2Cb",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=production",
    OTEL_SERVICE_NAME: "crm-sync",
  });
  assert.deepEqual(read?.headers, { authorization: "Basic YTpi", "x-scope": "a,b" });
  assert.deepEqual(read?.resource, {
    "service.name": "crm-sync",
    "deployment.environment.name": "production",
  });
});

test("samplers have the names of the standard", () => {
  const buildSampler = (OTEL_TRACES_SAMPLER: string, OTEL_TRACES_SAMPLER_ARG?: string) =>
    readTelemetryConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })
      ?.sampler;
  assert.deepEqual(buildSampler(""), { ratio: 1, followsCaller: true });
  assert.deepEqual(buildSampler("always_off"), { ratio: 0, followsCaller: false });
  assert.deepEqual(buildSampler("parentbased_traceidratio", "0.25"), { ratio: 0.25, followsCaller: true });
  assert.deepEqual(buildSampler("traceidratio"), { ratio: 1, followsCaller: false });
});

describe("a wrong value stops the start, names the variable and shows no secret", () => {
  const WRONG: [env: Record<string, string>, says: RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:secret@otlp:4318" }, /in OTEL_EXPORTER_OTLP_HEADERS only/],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json.*4318/,
    ],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, /^OTEL_EXPORTER_OTLP_HEADERS must be a list name=value/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a=%secret" }, /percent-encoded/],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, /^OTEL_TRACES_SAMPLER must be one of parentbased_always_on/],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, /_ARG must be a number from 0/],
    [{ OTEL_METRICS_EXPORTER: "prometheus" }, /^OTEL_METRICS_EXPORTER must be otlp or none/],
  ];
  for (const [env, says] of WRONG) {
    test(JSON.stringify(env), () => {
      assert.throws(
        () => readTelemetryConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...env }),
        (error) =>
          error instanceof StartError && says.test(error.message) && !error.message.includes("secret"),
      );
    });
  }
});
