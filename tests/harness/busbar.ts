/** Starts a whole Busbar for a test: its own database, the sandbox CRMs, real listeners, and a client. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { readConfig } from "../../ground/config.ts";
import { createLog, type Log } from "../../ground/log.ts";
import { startBusbar, type Busbar } from "../../server/main.ts";
import { checkAnswers } from "./answers.ts";
import { openClient, type Client } from "./client.ts";
import { createTestDatabase, type Scope } from "./database.ts";
import { SIDE_ROLES, sideRoles } from "./side-roles.ts";
import { addOnce } from "./shards.ts";
import { hasTwoDatabases } from "./two-databases.ts";

export type { Answer } from "./client.ts";

export interface TestBusbar extends Client {
  server: Busbar;
  sandbox: Sandbox;
  connectionString: string;
  /** Set if the data tables are in a database of their own. */
  dataUrl?: string;
  /** Stops Busbar as SIGTERM does and starts it again on the same database, on new ports; `env` is merged. */
  restart(env?: Record<string, string>, providerTimeoutMs?: number): Promise<void>;
  /** Starts another Busbar on the same database, like a second process; stopped together with this one. */
  sibling(env?: Record<string, string>): Promise<Busbar>;
  stop(): Promise<void>;
}

export interface TestBusbarOptions {
  /** Default: silent, or the level in TEST_LOG_LEVEL. */
  log?: Log;
  env?: Record<string, string>;
  providerTimeoutMs?: number;
  /** Whether the time is the database's; otherwise it is the test's, which may set it. */
  followsClock?: boolean;
  /** Providers to add or change, merged over the overlay that points HubSpot and Salesforce to the sandbox. */
  providers?: Record<string, unknown>;
  /** Makes each side commit by itself, as with two databases. */
  hasTwoSides?: boolean;
  /** Has the data tables in a database of their own. */
  isDivided?: boolean;
  /** Makes these empty databases shards beside the main one, by their names. Nobody is placed there but by the test. */
  shards?: Record<string, string>;
}

export async function startTestBusbar(scope: Scope, options: TestBusbarOptions = {}): Promise<TestBusbar> {
  const started = await openTestBusbar(options);
  scope.after(() => started.stop());
  return started;
}

/** Starts one for all tests of a file and stops it after the last. */
export async function shareTestBusbar(options?: TestBusbarOptions): Promise<TestBusbar> {
  return await startTestBusbar({ after }, options);
}

/** Starts one that the caller stops. */
export async function openTestBusbar(options: TestBusbarOptions = {}): Promise<TestBusbar> {
  const sandbox = await startSandbox();
  const { connectionString, dataUrl, drop } = await createTestDatabase({
    isDivided: options.isDivided ?? hasTwoDatabases(),
  });
  const shards = addOnce(connectionString, options.shards ?? {});
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-data-"));
  const catalogPath = join(dataDir, "catalog.json");
  const overlay = sandbox.catalog();
  await writeFile(catalogPath, JSON.stringify({ providers: { ...overlay.providers, ...options.providers } }));
  const env = {
    DATABASE_URL: connectionString,
    BUSBAR_DATA_DATABASE_URL: dataUrl,
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    BUSBAR_CATALOG: catalogPath,
    BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
    BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    // Each connection takes PostgreSQL 5 ms of the processor before its first statement, and the plans are made in each.
    BUSBAR_DATABASE_CONNECTIONS: "8",
    BUSBAR_DASHBOARD: "false",
    BUSBAR_LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
    ...options.env,
  };
  const answers = checkAnswers();
  const start = (more?: Record<string, string>, providerTimeoutMs = options.providerTimeoutMs) => {
    const config = readConfig({ ...env, ...more });
    return startBusbar({
      config,
      log: options.log ?? createLog(config.logLevel),
      onAnswer: answers.onAnswer,
      providerTimeoutMs,
      followsClock: options.followsClock ?? false,
      sideRoles: options.hasTwoSides ? SIDE_ROLES : sideRoles(),
      beforeShards: shards.add,
    });
  };
  let busbar = await start();
  const siblings: Busbar[] = [];
  const { bootstrap } = busbar;
  if (!bootstrap) throw new Error("a fresh database was not bootstrapped");
  const client = openClient({
    apiKey: bootstrap.apiKey,
    projectId: bootstrap.projectId,
    urls: () => busbar.urls,
    repeatsRefused: true,
    onAnswer: ({ headers }) => answers.requireGood(headers.get("x-request-id")),
  });
  return {
    get server() {
      return busbar;
    },
    ...client,
    sandbox,
    connectionString,
    ...(dataUrl !== undefined && { dataUrl }),
    async restart(more, providerTimeoutMs) {
      await busbar.stop();
      busbar = await start(more, providerTimeoutMs);
    },
    async sibling(more) {
      const started = await start(more);
      siblings.push(started);
      return started;
    },
    async stop() {
      for (const sibling of siblings) await sibling.stop();
      await busbar.stop();
      await sandbox.close();
      await shards.unpair();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
      answers.requireGood();
    },
  };
}
