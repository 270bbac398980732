/** Reads and checks the environment. A wrong value stops the start with one line that names the variable. */
import { join } from "node:path";
import {
  buildWrongValue,
  type Environment,
  type Setting,
  type Values,
  type Variable,
} from "./config-values.ts";
import { LISTENERS, OUTGOING, SECRETS } from "./server-settings.ts";
import { readTelemetryConfig, TELEMETRY_VARIABLES } from "./telemetry-config.ts";
import { DELIVERIES, LIMITS } from "./work-settings.ts";
import { suggestName } from "./closest.ts";
import { StartError } from "./errors.ts";
import { PROJECT_ROOT } from "./project-root.ts";

/** Where traces and metrics are sent; undefined: nowhere. */
const TELEMETRY = {
  telemetry: { variables: TELEMETRY_VARIABLES, read: readTelemetryConfig } satisfies Setting<unknown>,
};

const SETTINGS = { ...LISTENERS, ...SECRETS, ...OUTGOING, ...DELIVERIES, ...LIMITS, ...TELEMETRY };

export type Config = Values<typeof SETTINGS>;

/** The variables by the guide's headings, in its order. */
export const VARIABLES: Readonly<Record<string, Variable[]>> = {
  "Listeners, addresses and data": listVariables(LISTENERS),
  "Secrets and access": listVariables(SECRETS),
  "Providers and outgoing connections (egress)": listVariables(OUTGOING),
  "Writes and deliveries": listVariables(DELIVERIES),
  "Observability and limits of the proxy": listVariables(LIMITS),
  "Traces and metrics by OTLP": listVariables(TELEMETRY),
};

/** Settings, also in groups. */
interface Table {
  [member: string]: Setting<unknown> | Table;
}

function isSetting(one: Setting<unknown> | Table): one is Setting<unknown> {
  return typeof one["read"] === "function";
}

function listVariables(table: Table): Variable[] {
  return Object.values(table).flatMap((one) => (isSetting(one) ? one.variables : listVariables(one)));
}

const readTable = (table: Table, env: Environment): object =>
  Object.fromEntries(
    Object.entries(table).map(([member, one]) => [
      member,
      isSetting(one) ? one.read(env) : readTable(one, env),
    ]),
  );

/**
 * Returns the checked configuration. Throws `StartError` that names the first wrong variable and what it accepts. With
 * `withoutKeys`, encryption keys may be missing: for commands that neither seal nor open a secret.
 */
export function readConfig(
  env: Environment = process.env,
  { withoutKeys = false }: { withoutKeys?: boolean } = {},
): Config {
  const config = readTable(SETTINGS, env) as Config;
  refuseContradictions(env, config);
  if (!withoutKeys) requireKeys(config);
  refuseUnknownVariables(Object.keys(env), new Set(listVariables(SETTINGS).map(({ name }) => name)));
  return config;
}

/** Returns whether npm, or a program like it, runs this process as a script or by `npx`. */
export const isRunByNpm = (env: Environment = process.env): boolean =>
  env["npm_lifecycle_event"] !== undefined;

/**
 * Returns the folder where npm was called to run a script of this checkout, from where names of files are meant: npm has gone from there to
 * the checkout. Undefined without npm, and for scripts of another package, which know their own folder.
 */
export const getCallersFolder = (env: Environment = process.env): string | undefined =>
  env["npm_package_json"] === join(PROJECT_ROOT, "package.json") ? env["INIT_CWD"] : undefined;

function refuseContradictions(env: Environment, config: Config): void {
  if (config.dataDatabaseUrl && !config.databaseUrl)
    throw buildWrongValue(
      "BUSBAR_DATA_DATABASE_URL",
      "needs DATABASE_URL: the embedded database has all tables",
    );
  if (config.replicationUrl && !config.databaseUrl)
    throw buildWrongValue(
      "BUSBAR_REPLICATION_URL",
      "needs DATABASE_URL: the embedded database is not replicated",
    );
  if (config.encryptionKeys && config.encryptionKeysCommand)
    throw buildWrongValue("BUSBAR_ENCRYPTION_KEYS_COMMAND", "and BUSBAR_ENCRYPTION_KEYS exclude each other");
  if (env["BUSBAR_MINUTE_MS"] && env["NODE_ENV"] === "production") {
    throw buildWrongValue(
      "BUSBAR_MINUTE_MS",
      "is for tests and demos and is refused when NODE_ENV=production",
    );
  }
  if (config.port !== 0 && config.port === config.proxyPort) {
    throw buildWrongValue("BUSBAR_PROXY_PORT", `must differ from BUSBAR_PORT (${config.port})`);
  }
  if (config.healthPort && [config.port, config.proxyPort].includes(config.healthPort)) {
    throw buildWrongValue("BUSBAR_HEALTH_PORT", "must differ from BUSBAR_PORT and BUSBAR_PROXY_PORT");
  }
  const leastDays = computeAttemptsDays(config.webhookRetrySeconds);
  if (config.eventRetentionDays < leastDays) {
    throw buildWrongValue(
      "BUSBAR_EVENT_RETENTION_DAYS",
      `must be at least ${leastDays}, the longest time until the last retry of BUSBAR_WEBHOOK_RETRY_SECONDS`,
    );
  }
}

function requireKeys({ databaseUrl, encryptionKeys: keys, encryptionKeysCommand }: Config): void {
  if (!databaseUrl || keys || encryptionKeysCommand) return;
  throw buildWrongValue(
    "BUSBAR_ENCRYPTION_KEYS",
    "must be set when DATABASE_URL is, so that secrets stay readable on every machine. " +
      "Make one with: node -p \"'k1:'+require('crypto').randomBytes(32).toString('base64')\"",
  );
}

/** Returns the longest time until a delivery's last attempt: delays vary by 20 % and are at most doubled. */
export const computeAttemptsDays = (gapsSeconds: number[]): number => {
  const total = gapsSeconds.reduce((sum, gap) => sum + gap, 0);
  return Math.ceil((total * 1.2 * 2 * 100) / 86_400) / 100;
};

/** Variables of the command line and of the tests; they may be set where a server starts. */
const OTHER_PROGRAMS = /^BUSBAR_(URL|API_KEY|PROJECT|PROXY_URL|TEST_\w+)$/;

/** Kubernetes sets these for every service, so a service called `busbar-db` makes names that begin like ours. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP)(_\w+)?$|_PORT$/;

/** Throws `StartError` for a variable that begins with `BUSBAR_` and is not in `known`. */
function refuseUnknownVariables(names: string[], known: ReadonlySet<string>): void {
  const unknown = names
    .filter((name) => name.startsWith("BUSBAR_") && !known.has(name))
    .find((name) => !OTHER_PROGRAMS.test(name) && !SERVICE_LINK.test(name));
  if (unknown === undefined) return;
  const hint = suggestName(unknown, known, "docs/guide/configuration.md lists the variables.");
  throw new StartError(`${unknown} is not a variable of Busbar. ${hint}`);
}
