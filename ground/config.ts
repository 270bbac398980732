/** Reads and checks the environment. A wrong value stops the start with one line that names the variable. */
import { resolve } from "node:path";
import {
  boolean,
  CENTURY_DAYS,
  HOUR_SECONDS,
  integer,
  isHost,
  networks,
  number,
  origin,
  positive,
  seconds,
  text,
  wrong,
  YEAR_HOURS,
  type Environment,
} from "./config-values.ts";
import { databaseAddresses } from "./database-addresses.ts";
import { refuseUnknownVariables } from "./refuse-unknown-variables.ts";
import type { EncryptionKey } from "./seal.ts";
import { telemetry, type TelemetryConfig } from "./telemetry-config.ts";

const PROCESS_ROLES = ["api", "proxy", "worker"] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** Support contact, as members of a Problem. */
export interface SupportContact {
  supportEmail?: string;
  supportPhone?: string;
  supportUrl?: string;
}

export interface Config {
  /** Undefined: an embedded PostgreSQL under `dataDir`. */
  databaseUrl?: string;
  /** Maximum size of a process's connection pool. */
  databaseConnections: number;
  /** Token refreshes of this process under way at once, in all and of one provider. */
  tokenRefreshes: { max: number; maxPerProvider: number };
  dataDir: string;
  host: string;
  port: number;
  proxyPort: number;
  /** Undefined: health and metrics are at `port` only. */
  healthPort?: number;
  /** For how long a process that stops serves on, with /readyz 503. */
  stopDelayMs: number;
  /** Maximum number of connections open at the API's listener of one process. */
  apiConnections: number;
  /** The same for the proxy's listener. */
  proxyConnections: number;
  /** Maximum number of destinations of one project. */
  projectDestinations: number;
  /** Origin without a trailing slash; undefined: derived from the listeners. */
  publicUrl?: string;
  proxyPublicUrl?: string;
  /** Returned with each refusal. */
  support: SupportContact;
  roles: ReadonlySet<ProcessRole>;
  /** If undefined, the first start generates a key in the data folder (embedded database only). */
  encryptionKeys?: EncryptionKey[];
  /** Program that prints the keys when Busbar starts; it replaces `encryptionKeys`. */
  encryptionKeysCommand?: string;
  catalogPath?: string;
  /** Private hosts (lower case) and CIDRs that outgoing calls may reach. */
  egressAllow: string[];
  logLevel: string;
  oidc?: { issuer: string; clientId: string; clientSecret?: string; trustEmail: boolean };
  /** Addresses and CIDRs of reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  surfaceHosts: { write?: string; read?: string; search?: string };
  webhookRetrySeconds: number[];
  webhookDisableAfterSeconds: number;
  /** Timeout for the whole exchange with a receiver. */
  webhookTimeoutSeconds: number;
  /** Rate limit per project, across all processes; 0: none. */
  webhooksPerSecond: number;
  /** Events and their deliveries older than this are removed. */
  eventRetentionDays: number;
  /** Data messages that were delivered are removed after this many days. */
  readRetentionDays: number;
  /** Ended operations and their logs are removed after this many days. */
  operationRetentionDays: number;
  /** Lines of the proxy's usage log are removed after this many days. */
  usageRetentionDays: number;
  /** Refused requests are removed from the list after this many days. */
  requestRetentionDays: number;
  /** Entries of the audit are removed after this many days. */
  auditRetentionDays: number;
  /** For how long a request repeated with the same `Idempotency-Key` gets the first answer. */
  idempotencyHours: number;
  retryBaseSeconds: number;
  minuteMs: number;
  /** Of the proxy, counted per process; 0: no limit. */
  proxyLimits: {
    connectionConcurrency: number;
    connectionPerSecond: number;
    projectConcurrency: number;
    projectPerSecond: number;
  };
  /** How long changes of one record are collected into one entry; 0: an entry per event. */
  subscribeCoalesceSeconds: number;
  /** From one turn of polling a customer's account for changes to the next. */
  subscribePollSeconds: number;
  /** A stream of events without any answer for so long is opened again. */
  subscribeSilenceSeconds: number;
  metrics: boolean;
  /** Where traces and metrics are sent; undefined: nowhere. */
  telemetry?: TelemetryConfig | undefined;
  /** Whether this process serves the dashboard. */
  dashboard: boolean;
  bootstrapApiKey?: string;
  /** Mail address of the first organisation's owner. */
  bootstrapEmail?: string;
}

/**
 * Returns the checked configuration. Throws `StartError` that names the first wrong variable and what it accepts. With
 * `withoutKeys`, encryption keys may be missing: for commands that neither seal nor open a secret.
 */
export function readConfig(
  environment: Environment = process.env,
  { withoutKeys = false }: { withoutKeys?: boolean } = {},
): Config {
  const { env, read } = tracked(environment);
  const config: Config = {
    databaseUrl: text(env, "DATABASE_URL", isPostgresUrl, POSTGRES_URL),
    databaseConnections: integer(env, "BUSBAR_DATABASE_CONNECTIONS", 20, 2, 1_000),
    tokenRefreshes: {
      max: integer(env, "BUSBAR_TOKEN_REFRESHES", 80, 2, 10_000),
      maxPerProvider: integer(env, "BUSBAR_TOKEN_REFRESHES_PER_PROVIDER", 40, 2, 10_000),
    },
    dataDir: resolve(env["BUSBAR_DATA_DIR"] || ".busbar"),
    ...listenerSettings(env),
    projectDestinations: integer(env, "BUSBAR_PROJECT_DESTINATIONS", 1_000, 1, 1_000_000),
    publicUrl: origin(env, "BUSBAR_PUBLIC_URL"),
    proxyPublicUrl: origin(env, "BUSBAR_PROXY_PUBLIC_URL"),
    support: {
      supportEmail: text(env, "BUSBAR_SUPPORT_EMAIL", isEmail, "a mail address"),
      supportPhone: text(env, "BUSBAR_SUPPORT_PHONE", isPhone, "a phone number such as +49 30 123456"),
      supportUrl: text(env, "BUSBAR_SUPPORT_URL", isWebAddress, "an https:// or http:// address"),
    },
    roles: roles(env),
    encryptionKeys: encryptionKeys(env),
    encryptionKeysCommand: env["BUSBAR_ENCRYPTION_KEYS_COMMAND"]?.trim() || undefined,
    catalogPath: text(env, "BUSBAR_CATALOG", isPath, PATH_OF_CATALOG),
    egressAllow: networks(env, "BUSBAR_EGRESS_ALLOW", { hosts: true }),
    logLevel: text(env, "BUSBAR_LOG_LEVEL", isLogLevel, `one of ${LOG_LEVELS.join(", ")}`) ?? "info",
    oidc: oidc(env),
    trustedProxies: networks(env, "BUSBAR_TRUSTED_PROXIES", { hosts: false }),
    surfaceHosts: {
      write: text(env, "BUSBAR_WRITE_HOST", isHost, "a host name without port"),
      read: text(env, "BUSBAR_READ_HOST", isHost, "a host name without port"),
      search: text(env, "BUSBAR_SEARCH_HOST", isHost, "a host name without port"),
    },
    webhookRetrySeconds: seconds(env, "BUSBAR_WEBHOOK_RETRY_SECONDS", "5,300,1800,7200,18000,36000,36000"),
    webhookDisableAfterSeconds: integer(env, "BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS", 432_000, 1),
    webhookTimeoutSeconds: positive(env, "BUSBAR_WEBHOOK_TIMEOUT_SECONDS", 30, HOUR_SECONDS),
    webhooksPerSecond: integer(env, "BUSBAR_WEBHOOKS_PER_SECOND", 1_000, 0),
    eventRetentionDays: positive(env, "BUSBAR_EVENT_RETENTION_DAYS", 30, CENTURY_DAYS),
    readRetentionDays: positive(env, "BUSBAR_READ_RETENTION_DAYS", 3, CENTURY_DAYS),
    operationRetentionDays: positive(env, "BUSBAR_OPERATION_RETENTION_DAYS", 30, CENTURY_DAYS),
    usageRetentionDays: positive(env, "BUSBAR_USAGE_RETENTION_DAYS", 30, CENTURY_DAYS),
    requestRetentionDays: positive(env, "BUSBAR_REQUEST_RETENTION_DAYS", 7, CENTURY_DAYS),
    auditRetentionDays: positive(env, "BUSBAR_AUDIT_RETENTION_DAYS", 365, CENTURY_DAYS),
    idempotencyHours: positive(env, "BUSBAR_IDEMPOTENCY_HOURS", 24, YEAR_HOURS),
    retryBaseSeconds: positive(env, "BUSBAR_RETRY_BASE_SECONDS", 1, HOUR_SECONDS),
    minuteMs: integer(env, "BUSBAR_MINUTE_MS", 60_000, 1),
    proxyLimits: {
      connectionConcurrency: integer(env, "BUSBAR_PROXY_CONNECTION_CONCURRENCY", 0, 0),
      connectionPerSecond: integer(env, "BUSBAR_PROXY_CONNECTION_PER_SECOND", 0, 0),
      projectConcurrency: integer(env, "BUSBAR_PROXY_PROJECT_CONCURRENCY", 0, 0),
      projectPerSecond: integer(env, "BUSBAR_PROXY_PROJECT_PER_SECOND", 0, 0),
    },
    ...subscribeSettings(env),
    ...reportSettings(env),
    dashboard: boolean(env, "BUSBAR_DASHBOARD", true),
    bootstrapApiKey: text(
      env,
      "BUSBAR_BOOTSTRAP_API_KEY",
      isLongKey,
      "at least 32 characters without spaces",
    ),
    bootstrapEmail: text(env, "BUSBAR_BOOTSTRAP_EMAIL", isEmail, "an e-mail address"),
  };
  contradictions(env, config);
  if (!withoutKeys) requireKeys(config);
  refuseUnknownVariables(Object.keys(environment), read);
  return config;
}

const listenerSettings = (
  env: Environment,
): Pick<
  Config,
  "host" | "port" | "proxyPort" | "healthPort" | "stopDelayMs" | "apiConnections" | "proxyConnections"
> => ({
  host: text(env, "BUSBAR_HOST", isHost, "an IP address or host name") ?? "127.0.0.1",
  port: integer(env, "BUSBAR_PORT", 4000, 0, 65_535),
  proxyPort: integer(env, "BUSBAR_PROXY_PORT", 4001, 0, 65_535),
  ...(env["BUSBAR_HEALTH_PORT"] && { healthPort: integer(env, "BUSBAR_HEALTH_PORT", 4002, 0, 65_535) }),
  stopDelayMs: integer(env, "BUSBAR_STOP_DELAY_SECONDS", 0, 0, 300) * 1_000,
  apiConnections: integer(env, "BUSBAR_API_CONNECTIONS", 5_000, 1, 1_000_000),
  proxyConnections: integer(env, "BUSBAR_PROXY_CONNECTIONS", 10_000, 1, 1_000_000),
});

const isPath = (value: string): boolean => !/^[a-z][a-z0-9+.-]+:\/\//i.test(value);
const PATH_OF_CATALOG =
  "the path of a file, not an address: download it first, with curl -o catalog.json, and set BUSBAR_CATALOG=catalog.json";

const reportSettings = (env: Environment): Pick<Config, "metrics" | "telemetry"> => ({
  metrics: boolean(env, "BUSBAR_METRICS", false),
  telemetry: telemetry(env),
});

const subscribeSettings = (
  env: Environment,
): Pick<Config, "subscribeCoalesceSeconds" | "subscribePollSeconds" | "subscribeSilenceSeconds"> => ({
  subscribeCoalesceSeconds: number(env, "BUSBAR_SUBSCRIBE_COALESCE_SECONDS", 1, 0, 5),
  subscribePollSeconds: pollSeconds(env),
  subscribeSilenceSeconds: positive(env, "BUSBAR_SUBSCRIBE_SILENCE_SECONDS", 300, HOUR_SECONDS),
});

/** Records which variables are read: these are the known ones. */
function tracked(environment: Environment): { env: Environment; read: Set<string> } {
  const read = new Set<string>();
  const env = new Proxy(environment, {
    get(target, name) {
      read.add(String(name));
      return target[String(name)];
    },
  });
  return { env, read };
}

function contradictions(env: Environment, config: Config): void {
  if (config.encryptionKeys && config.encryptionKeysCommand)
    throw wrong("BUSBAR_ENCRYPTION_KEYS_COMMAND", "and BUSBAR_ENCRYPTION_KEYS exclude each other");
  if (env["BUSBAR_MINUTE_MS"] && env["NODE_ENV"] === "production") {
    throw wrong("BUSBAR_MINUTE_MS", "is for tests and demos and is refused when NODE_ENV=production");
  }
  if (config.port !== 0 && config.port === config.proxyPort) {
    throw wrong("BUSBAR_PROXY_PORT", `must differ from BUSBAR_PORT (${config.port})`);
  }
  if (config.healthPort && [config.port, config.proxyPort].includes(config.healthPort)) {
    throw wrong("BUSBAR_HEALTH_PORT", "must differ from BUSBAR_PORT and BUSBAR_PROXY_PORT");
  }
  const leastDays = attemptsDays(config.webhookRetrySeconds);
  if (config.eventRetentionDays < leastDays) {
    throw wrong(
      "BUSBAR_EVENT_RETENTION_DAYS",
      `must be at least ${leastDays}, the longest time until the last retry of BUSBAR_WEBHOOK_RETRY_SECONDS`,
    );
  }
}

function requireKeys({ databaseUrl, encryptionKeys: keys, encryptionKeysCommand }: Config): void {
  if (!databaseUrl || keys || encryptionKeysCommand) return;
  throw wrong(
    "BUSBAR_ENCRYPTION_KEYS",
    "must be set when DATABASE_URL is, so that secrets stay readable on every machine. " +
      "Make one with: node -p \"'k1:'+require('crypto').randomBytes(32).toString('base64')\"",
  );
}

/** Returns the longest time until a delivery's last attempt: delays vary by 20 % and are at most doubled. */
export const attemptsDays = (gapsSeconds: number[]): number => {
  const total = gapsSeconds.reduce((sum, gap) => sum + gap, 0);
  return Math.ceil((total * 1.2 * 2 * 100) / 86_400) / 100;
};

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
const isLogLevel = (value: string) => LOG_LEVELS.includes(value);
const isPostgresUrl = (value: string) => databaseAddresses(value) !== undefined;
const POSTGRES_URL =
  "a postgres:// or postgresql:// address, with one host or several (host1:5432,host2:5432); " +
  "target_session_attrs may be any, read-write or primary";
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && value.length <= 320;
const isPhone = (value: string) => /^[+\d][\d ()./-]{2,30}$/.test(value);
const isWebAddress = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value);
const isLongKey = (value: string) => /^[\x21-\x7e]{32,}$/.test(value);

/** Each turn costs calls of the customer's account; tests and demos may poll more often. */
const pollSeconds = (env: Environment): number =>
  number(env, "BUSBAR_SUBSCRIBE_POLL_SECONDS", 60, env["NODE_ENV"] === "production" ? 10 : 1, 3_600);

function roles(env: Environment): ReadonlySet<ProcessRole> {
  const value = env["BUSBAR_ROLES"] || PROCESS_ROLES.join(",");
  const parts = value.split(",").map((part) => part.trim());
  const isRole = (part: string): part is ProcessRole => PROCESS_ROLES.some((role) => role === part);
  if (!parts.every(isRole))
    throw wrong("BUSBAR_ROLES", `must be a list of ${PROCESS_ROLES.join(", ")}, not "${value}"`);
  return new Set(parts);
}

/** Parses `id:base64(32 bytes)[,id:…]`. Exported for the keys file of the embedded database. */
export function parseEncryptionKeys(value: string, name = "BUSBAR_ENCRYPTION_KEYS"): EncryptionKey[] {
  const keys = value.split(",").map((part) => {
    const colon = part.indexOf(":");
    const id = part.slice(0, colon).trim();
    const secret = Buffer.from(part.slice(colon + 1).trim(), "base64");
    if (colon < 1 || !/^[A-Za-z0-9_-]{1,32}$/.test(id) || secret.length !== 32) {
      throw wrong(
        name,
        "must be id:base64[,id:base64…]: each id of letters, digits, _ and -, each key of 32 bytes",
      );
    }
    return { id, secret };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length)
    throw wrong(name, "names the same key id twice");
  return keys;
}

const encryptionKeys = (env: Environment): EncryptionKey[] | undefined =>
  env["BUSBAR_ENCRYPTION_KEYS"] ? parseEncryptionKeys(env["BUSBAR_ENCRYPTION_KEYS"]) : undefined;

function oidc(env: Environment): Config["oidc"] {
  const issuer = env["BUSBAR_OIDC_ISSUER"];
  const clientId = env["BUSBAR_OIDC_CLIENT_ID"];
  if (!issuer && !clientId) {
    if (env["BUSBAR_OIDC_CLIENT_SECRET"])
      throw wrong("BUSBAR_OIDC_CLIENT_SECRET", "is of use with BUSBAR_OIDC_ISSUER only");
    return undefined;
  }
  if (!issuer || !isWebAddress(issuer)) {
    throw wrong("BUSBAR_OIDC_ISSUER", "must be the issuer's https:// address");
  }
  if (!clientId) throw wrong("BUSBAR_OIDC_CLIENT_ID", "must be set when BUSBAR_OIDC_ISSUER is");
  const clientSecret = env["BUSBAR_OIDC_CLIENT_SECRET"] || undefined;
  return { issuer, clientId, clientSecret, trustEmail: boolean(env, "BUSBAR_OIDC_TRUST_EMAIL", false) };
}
