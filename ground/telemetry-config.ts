/** Reads the variables of OpenTelemetry: where traces and metrics are sent, and which traces are recorded. */
import { checkText, integer, buildWrongValue, type Environment, type Variable } from "./config-values.ts";

export interface TelemetryConfig {
  /** Undefined: none are sent. */
  tracesUrl: URL | undefined;
  metricsUrl: URL | undefined;
  /** The form of the messages. */
  protocol: "http/protobuf" | "http/json";
  /** Sent with each request; may be secret. */
  headers: Record<string, string>;
  timeoutMs: number;
  spanDelayMs: number;
  metricIntervalMs: number;
  /** Attributes of this service, `service.name` among them. */
  resource: Record<string, string>;
  sampler: Sampler;
}

interface Sampler {
  /** Share of the traces that begin here, 0 to 1. */
  ratio: number;
  /** Whether a caller decides about its own traces. */
  followsCaller: boolean;
}

export const TELEMETRY_VARIABLES: Variable[] = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    about:
      "the collector, such as `http://127.0.0.1:4318`: traces go to `/v1/traces` below it, metrics to `/v1/metrics`. Unset: nothing is sent. The address may be private; `BUSBAR_EGRESS_ALLOW` does not concern it",
    example: "http://127.0.0.1:4318",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    fallback: "from the above",
    about: "the whole address for one of the two",
    example: "http://127.0.0.1:4318/v1/traces",
  },
  {
    name: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    fallback: "from the above",
    example: "http://127.0.0.1:4318/v1/metrics",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    about:
      "`name=value,name=value` with percent-encoded values, such as `authorization=Bearer%20…`; never logged",
    example: "",
  },
  {
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    fallback: "http/protobuf",
    about: "the form of the messages: `http/protobuf` or `http/json`, not `grpc`",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TIMEOUT",
    fallback: "10000",
    about: "milliseconds for one request to the collector",
  },
  { name: "OTEL_SERVICE_NAME", fallback: "busbar", about: "name of the service" },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    about: "`name=value,name=value`, such as `deployment.environment.name=production`",
    example: "deployment.environment.name=production",
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    fallback: "parentbased_always_on",
    about:
      "which traces are recorded: `always_on`, `always_off`, `traceidratio`, and with `parentbased_` before it as the caller does",
    example: "parentbased_traceidratio",
  },
  { name: "OTEL_TRACES_SAMPLER_ARG", fallback: "1", example: "0.1" },
  {
    name: "OTEL_TRACES_EXPORTER",
    fallback: "otlp",
    about: "`none`: one of the two is not sent",
  },
  { name: "OTEL_METRICS_EXPORTER", fallback: "otlp" },
  {
    name: "OTEL_BSP_SCHEDULE_DELAY",
    fallback: "5000",
    about: "milliseconds between two messages with spans, with metrics",
  },
  { name: "OTEL_METRIC_EXPORT_INTERVAL", fallback: "60000" },
  { name: "OTEL_SDK_DISABLED", fallback: "false", about: "`true`: nothing is sent, whatever else is set" },
];

/** Returns undefined if neither traces nor metrics are to be sent. Throws `StartError` for a wrong value. */
export function readTelemetryConfig(env: Environment): TelemetryConfig | undefined {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  const tracesUrl = readSignalEndpoint(env, "TRACES");
  const metricsUrl = readSignalEndpoint(env, "METRICS");
  if (!tracesUrl && !metricsUrl) return undefined;
  const named = env["OTEL_SERVICE_NAME"];
  return {
    tracesUrl,
    metricsUrl,
    protocol: readProtocol(env),
    headers: readPairs(env, "OTEL_EXPORTER_OTLP_HEADERS"),
    timeoutMs: readMilliseconds(env, "OTEL_EXPORTER_OTLP_TIMEOUT", {
      fallback: 10_000,
      min: 1,
      max: 600_000,
    }),
    spanDelayMs: readMilliseconds(env, "OTEL_BSP_SCHEDULE_DELAY", { fallback: 5_000, min: 10 }),
    metricIntervalMs: readMilliseconds(env, "OTEL_METRIC_EXPORT_INTERVAL", { fallback: 60_000, min: 100 }),
    resource: {
      "service.name": "busbar",
      ...readPairs(env, "OTEL_RESOURCE_ATTRIBUTES"),
      ...(named && { "service.name": named }),
    },
    sampler: readSampler(env),
  };
}

const readMilliseconds = (
  env: Environment,
  name: string,
  bounds: { fallback: number; min: number; max?: number },
): number => integer(name, undefined, bounds).read(env);

/** Returns undefined if it is not set. */
const readChecked = (
  env: Environment,
  name: string,
  check: { accepts: (value: string) => boolean; expected: string },
): string | undefined => {
  const value = env[name];
  return value ? checkText(name, value, check) : undefined;
};

/** Returns the signal's own address, or the one that is derived from the address of all; undefined if it is switched off. */
function readSignalEndpoint(env: Environment, signal: "TRACES" | "METRICS"): URL | undefined {
  const exporter = `OTEL_${signal}_EXPORTER`;
  const accepts = (value: string): boolean => value === "otlp" || value === "none";
  if (readChecked(env, exporter, { accepts, expected: "otlp or none" }) === "none") return undefined;
  const own = readHttpUrl(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const shared = readHttpUrl(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (own || !shared) return own;
  shared.pathname = `${shared.pathname.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
  return shared;
}

function readHttpUrl(env: Environment, name: string): URL | undefined {
  const isHttp = (value: string) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  };
  const expected =
    "an http:// or https:// address such as http://127.0.0.1:4318, with credentials in OTEL_EXPORTER_OTLP_HEADERS only";
  const value = readChecked(env, name, { accepts: isHttp, expected });
  return value === undefined ? undefined : new URL(value);
}

function readProtocol(env: Environment): TelemetryConfig["protocol"] {
  const name = "OTEL_EXPORTER_OTLP_PROTOCOL";
  const value = env[name] || "http/protobuf";
  if (value === "http/protobuf" || value === "http/json") return value;
  throw buildWrongValue(
    name,
    `must be http/protobuf or http/json, not "${value}": Busbar sends over HTTP, which collectors take on port 4318`,
  );
}

/** Reads `name=value,name=value`; values are percent-encoded. */
function readPairs(env: Environment, name: string): Record<string, string> {
  const value = env[name];
  if (!value) return {};
  // The message does not contain the value, which may be secret.
  const fault = buildWrongValue(name, "must be a list name=value,name=value with percent-encoded values");
  return Object.fromEntries(
    value.split(",").map((part) => {
      const mark = part.indexOf("=");
      const key = part.slice(0, mark).trim();
      if (mark < 1 || !/^[\w.!#$%&'*+^`|~-]+$/.test(key)) throw fault;
      try {
        return [key, decodeURIComponent(part.slice(mark + 1).trim())];
      } catch {
        throw fault;
      }
    }),
  );
}

const SAMPLERS = ["always_on", "always_off", "traceidratio"];

function readSampler(env: Environment): Sampler {
  const names = [...SAMPLERS.map((name) => `parentbased_${name}`), ...SAMPLERS];
  const name =
    readChecked(env, "OTEL_TRACES_SAMPLER", {
      accepts: (value) => names.includes(value),
      expected: `one of ${names.join(", ")}`,
    }) ?? "parentbased_always_on";
  const followsCaller = name.startsWith("parentbased_");
  if (name.endsWith("always_on")) return { ratio: 1, followsCaller };
  if (name.endsWith("always_off")) return { ratio: 0, followsCaller };
  const isRatio = (value: string) => /^\d*\.?\d+$/.test(value) && Number(value) <= 1;
  const ratio = Number(
    readChecked(env, "OTEL_TRACES_SAMPLER_ARG", { accepts: isRatio, expected: "a number from 0 to 1" }) ?? 1,
  );
  return { ratio, followsCaller };
}
