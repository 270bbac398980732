/** Reads the variables of OpenTelemetry: where traces and metrics are sent, and which traces are recorded. */
import { integer, text, wrong, type Environment } from "./config-values.ts";

export interface TelemetryConfig {
  /** Undefined: none are sent. */
  tracesUrl: URL | undefined;
  metricsUrl: URL | undefined;
  /** Sent with each request; may be secret. */
  headers: Record<string, string>;
  timeoutMs: number;
  spanDelayMs: number;
  metricIntervalMs: number;
  /** Attributes of this service, `service.name` among them. */
  resource: Record<string, string>;
  sampler: Sampler;
}

export interface Sampler {
  /** Share of the traces that begin here, 0 to 1. */
  ratio: number;
  /** Whether a caller decides about its own traces. */
  followsCaller: boolean;
}

/** Returns undefined if neither traces nor metrics are to be sent. Throws `StartError` for a wrong value. */
export function telemetry(env: Environment): TelemetryConfig | undefined {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  const tracesUrl = endpoint(env, "TRACES");
  const metricsUrl = endpoint(env, "METRICS");
  if (!tracesUrl && !metricsUrl) return undefined;
  requireJson(env);
  const named = env["OTEL_SERVICE_NAME"];
  return {
    tracesUrl,
    metricsUrl,
    headers: pairs(env, "OTEL_EXPORTER_OTLP_HEADERS"),
    timeoutMs: integer(env, "OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, 1, 600_000),
    spanDelayMs: integer(env, "OTEL_BSP_SCHEDULE_DELAY", 5_000, 10),
    metricIntervalMs: integer(env, "OTEL_METRIC_EXPORT_INTERVAL", 60_000, 100),
    resource: {
      "service.name": "busbar",
      ...pairs(env, "OTEL_RESOURCE_ATTRIBUTES"),
      ...(named && { "service.name": named }),
    },
    sampler: sampler(env),
  };
}

/** Returns the signal's own address, or the one that is derived from the address of all; undefined if it is switched off. */
function endpoint(env: Environment, signal: "TRACES" | "METRICS"): URL | undefined {
  const exporter = `OTEL_${signal}_EXPORTER`;
  if (text(env, exporter, (value) => value === "otlp" || value === "none", "otlp or none") === "none")
    return undefined;
  const own = httpUrl(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const shared = httpUrl(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (own || !shared) return own;
  shared.pathname = `${shared.pathname.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
  return shared;
}

function httpUrl(env: Environment, name: string): URL | undefined {
  const isHttp = (value: string) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  };
  const expected =
    "an http:// or https:// address such as http://127.0.0.1:4318, with credentials in OTEL_EXPORTER_OTLP_HEADERS only";
  const value = text(env, name, isHttp, expected);
  return value === undefined ? undefined : new URL(value);
}

function requireJson(env: Environment): void {
  const name = "OTEL_EXPORTER_OTLP_PROTOCOL";
  const value = env[name];
  if (!value || value === "http/json") return;
  throw wrong(
    name,
    `must be http/json or unset, not "${value}": Busbar sends JSON over HTTP, which collectors take on port 4318`,
  );
}

/** Reads `name=value,name=value`; values are percent-encoded. */
function pairs(env: Environment, name: string): Record<string, string> {
  const value = env[name];
  if (!value) return {};
  // The message does not contain the value, which may be secret.
  const fault = wrong(name, "must be a list name=value,name=value with percent-encoded values");
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

function sampler(env: Environment): Sampler {
  const names = [...SAMPLERS.map((name) => `parentbased_${name}`), ...SAMPLERS];
  const name =
    text(env, "OTEL_TRACES_SAMPLER", (value) => names.includes(value), `one of ${names.join(", ")}`) ??
    "parentbased_always_on";
  const followsCaller = name.startsWith("parentbased_");
  if (name.endsWith("always_on")) return { ratio: 1, followsCaller };
  if (name.endsWith("always_off")) return { ratio: 0, followsCaller };
  const isRatio = (value: string) => /^\d*\.?\d+$/.test(value) && Number(value) <= 1;
  const ratio = Number(text(env, "OTEL_TRACES_SAMPLER_ARG", isRatio, "a number from 0 to 1") ?? 1);
  return { ratio, followsCaller };
}
