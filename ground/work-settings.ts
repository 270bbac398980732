/** Settings of what a server does: writes, deliveries, reading, subscribing, the proxy, its reports. */
import {
  boolean,
  CENTURY_DAYS,
  HOUR_SECONDS,
  integer,
  parseNumber,
  positive,
  seconds,
  setting,
  textOr,
  YEAR_HOURS,
  type Setting,
} from "./config-values.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
const isLogLevel = (value: string) => LOG_LEVELS.includes(value);
const days = (name: string, fallback: number, about: string): Setting<number> =>
  positive(name, about, { fallback, max: CENTURY_DAYS });

export const DELIVERIES = {
  retryBaseSeconds: positive(
    "BUSBAR_RETRY_BASE_SECONDS",
    "delay before the first retry of an asynchronous write; later delays grow",
    { fallback: 1, max: HOUR_SECONDS },
  ),
  webhookRetrySeconds: seconds(
    "BUSBAR_WEBHOOK_RETRY_SECONDS",
    "delays between delivery attempts, ±20 %",
    "5,300,1800,7200,18000,36000,36000",
  ),
  /** For the whole exchange with a receiver. */
  webhookTimeoutSeconds: positive("BUSBAR_WEBHOOK_TIMEOUT_SECONDS", "timeout for a receiver's answer", {
    fallback: 30,
    max: HOUR_SECONDS,
  }),
  webhooksPerSecond: integer(
    "BUSBAR_WEBHOOKS_PER_SECOND",
    "rate limit per project, across all processes; 0: no limit",
    { fallback: 1_000, min: 0 },
  ),
  eventRetentionDays: days(
    "BUSBAR_EVENT_RETENTION_DAYS",
    30,
    "how long events and deliveries are kept; here and below a project can choose a [shorter time](operating.md#retention). Must be longer than all retries of a delivery can take",
  ),
  readRetentionDays: days(
    "BUSBAR_READ_RETENTION_DAYS",
    3,
    "how long [data messages](events.md#data-messages) are kept after their delivery; others are kept as events are",
  ),
  operationRetentionDays: days(
    "BUSBAR_OPERATION_RETENTION_DAYS",
    30,
    "how long ended operations with their logs, and consents, are kept",
  ),
  usageRetentionDays: days("BUSBAR_USAGE_RETENTION_DAYS", 30, "how long the proxy's usage log is kept"),
  requestRetentionDays: days(
    "BUSBAR_REQUEST_RETENTION_DAYS",
    7,
    "how long [refused requests](errors.md#refused-requests) are listed",
  ),
  auditRetentionDays: days(
    "BUSBAR_AUDIT_RETENTION_DAYS",
    365,
    "how long the audit is kept; the same for all projects",
  ),
  idempotencyHours: positive(
    "BUSBAR_IDEMPOTENCY_HOURS",
    "how long a request repeated with the same `Idempotency-Key` gets the first answer",
    { fallback: 24, max: YEAR_HOURS },
  ),
  webhookDisableAfterSeconds: integer(
    "BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS",
    "a webhook destination without a success for this long is disabled",
    { fallback: 432_000, min: 1 },
  ),
  minuteMs: integer(
    "BUSBAR_MINUTE_MS",
    "shortens the minutes of `maxDelayMinutes` and of retry deadlines, for tests and demos; refused when `NODE_ENV=production`",
    { fallback: 60_000, min: 1 },
  ),
};

export const LIMITS = {
  logLevel: textOr(
    "info",
    {
      name: "BUSBAR_LOG_LEVEL",
      about: `${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}; JSON lines on standard output`,
    },
    isLogLevel,
    `one of ${LOG_LEVELS.join(", ")}`,
  ),
  /** Limits of the proxy, counted per process; 0: no limit. */
  proxyLimits: {
    connectionConcurrency: integer(
      "BUSBAR_PROXY_CONNECTION_CONCURRENCY",
      "maximum number of proxied calls in progress per connection, per project; counted in each process; 0: no limit",
      { fallback: 0, min: 0 },
    ),
    projectConcurrency: integer("BUSBAR_PROXY_PROJECT_CONCURRENCY", undefined, { fallback: 0, min: 0 }),
    connectionPerSecond: integer(
      "BUSBAR_PROXY_CONNECTION_PER_SECOND",
      "maximum number of proxied calls per second, counted in each process; above it 429 with `Retry-After`",
      { fallback: 0, min: 0 },
    ),
    projectPerSecond: integer("BUSBAR_PROXY_PROJECT_PER_SECOND", undefined, { fallback: 0, min: 0 }),
  },
  subscribeCoalesceSeconds: setting(
    {
      name: "BUSBAR_SUBSCRIBE_COALESCE_SECONDS",
      fallback: "1",
      about:
        "changes of one record within this time become one entry; 0 to 5, fractions allowed; `0`: an entry per event",
    },
    (value, name) => parseNumber(name, value, { min: 0, max: 5 }),
    1,
  ),
  subscribeSilenceSeconds: positive(
    "BUSBAR_SUBSCRIBE_SILENCE_SECONDS",
    "a stream of events ([subscribing](subscribing.md)) that sends nothing for so long, no sign of life either, is opened again",
    { fallback: 300, max: HOUR_SECONDS },
  ),
  /** Each turn costs calls of the customer's account; tests and demos may poll more often. */
  subscribePollSeconds: setting(
    {
      name: "BUSBAR_SUBSCRIBE_POLL_SECONDS",
      fallback: "60",
      about:
        "how often a customer's account is read for changes where the provider reports none ([subscribing](subscribing.md)); 10 to 3600",
    },
    (value, name, env) =>
      parseNumber(name, value, {
        min: env["NODE_ENV"] === "production" ? 10 : 1,
        max: 3_600,
      }),
    60,
  ),
  metrics: boolean(
    "BUSBAR_METRICS",
    "`/metrics` for Prometheus on the management listener, without authentication; see [observability](seeing-inside.md#metrics)",
    false,
  ),
  dashboard: boolean(
    "BUSBAR_DASHBOARD",
    "the dashboard on the management listener; `false` leaves it out. It is built once, at the first start ([dashboard](dashboard.md))",
    true,
  ),
};
