/** Opens the services that endpoints, proxy and workers need, in the order of their dependencies. */
import { readFile } from "node:fs/promises";
import { parse as parseYaml } from "yaml";
import type { Catalog } from "../connector-kit/catalog.ts";
import { buildCatalog } from "../connectors/catalog.ts";
import { CatalogError } from "../connectors/catalog-overlay.ts";
import { openAccess, type Access } from "./access/authorize.ts";
import { openLastUses } from "./access/last-uses-log.ts";
import { openIssuerSignIn, type IssuerSignIn } from "./access/issuer-sign-in.ts";
import { openOidcIssuer } from "./access/oidc-issuer.ts";
import { openPersonTokens } from "./access/person-token.ts";
import { openSignInSessions, type SignInSessions } from "./access/sign-in-sessions.ts";
import type { LiveConnections } from "./calls/live-connections.ts";
import { openLiveConnections } from "./calls/open-live-connections.ts";
import type { SharedGates } from "./calls/gates/shared-gates.ts";
import { openDataFolder, type BootstrapFile } from "./data-folder/data-folder.ts";
import { readEncryptionKeys } from "./data-folder/encryption-keys.ts";
import type { Egress } from "./egress/egress.ts";
import { openEgress } from "./egress/open-egress.ts";
import { now } from "../ground/clock.ts";
import type { Config } from "../ground/config.ts";
import { StartError, readMessage } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";
import { Sealer } from "../ground/seal.ts";
import { requireKeys } from "./credentials/stored/require-keys.ts";
import { openMetrics, type Metrics } from "./metrics/metrics.ts";
import type { Tracer } from "../ground/tracer.ts";
import { keepTime } from "./jobs/keep-time.ts";
import { NewWork } from "./jobs/new-work.ts";
import { claimProcessIdentity, type ProcessIdentity } from "./jobs/process-identity.ts";
import { listenToDatabase, type Changes } from "./store/database/changes.ts";
import type { Database, SideRoles } from "./store/database/database.ts";
import { openDatabase, type OpenBoth } from "./store/database/open-database.ts";
import { startEmbeddedPostgres } from "./postgres/start-embedded-postgres.ts";
import { openIdempotency, type Idempotency } from "./operations/idempotency.ts";
import type { InstallationCache } from "./operations/installation-cache.ts";
import { openMetadataMemory, type MetadataMemory } from "./operations/metadata-memory.ts";
import { createLateProxyCaller, type LateProxyCaller } from "./proxy/proxy-caller.ts";
import { openPushTargets, type PushTargets } from "./subscribe/receive/push-targets.ts";
import { openPushInbox, type PushInbox } from "./subscribe/receive/push-inbox.ts";
import { watchSignatures, type SignatureWatch } from "./subscribe/receive/watch-signatures.ts";
import { CustomProviderMemory } from "./operations/custom-provider-memory.ts";
import { followShards } from "./follow-shards.ts";
import { openShardParts, withShards, type ShardSet } from "./shard-services.ts";
import type { OperationLedger } from "./operations/operation-ledger.ts";

export interface Services {
  config: Config;
  log: Log;
  catalog: Catalog;
  customProviders: CustomProviderMemory;
  sealer: Sealer;
  database: Database;
  changes: Changes;
  identity: ProcessIdentity;
  egress: Egress;
  sessions: SignInSessions;
  /** Undefined if no issuer is set. */
  issuerSignIn?: IssuerSignIn;
  access: Access;
  connections: LiveConnections;
  /** Undefined if metrics are off. */
  countRefresh: Metrics["countRefresh"] | undefined;
  gates: SharedGates;
  installations: InstallationCache;
  metadata: MetadataMemory;
  ledger: OperationLedger;
  idempotency: Idempotency;
  /** Undefined if metrics are off. */
  metrics?: Metrics;
  /** Undefined if traces are not sent. */
  tracer: Tracer | undefined;
  minuteMs: number;
  providerTimeoutMs?: number;
  /** Finds what pushed events are for. */
  pushTargets: PushTargets;
  /** Stores pushes. */
  pushInbox: PushInbox;
  /** Remembers refused signatures. */
  signatures: SignatureWatch;
  /** Announces stored pushes. */
  newPushes: NewWork;
  /** Announces accepted asynchronous writes. */
  newWrites: NewWork;
  /** Calls through the proxy, which is opened with the listeners. */
  proxyCaller: LateProxyCaller;
  /** Announces approved acts of agents. */
  newApprovals: NewWork;
  /** Announces runs of reads. */
  newRuns: NewWork;
  /** The public addresses; final when the listeners are open. */
  address: { publicUrl: string; urls?: BootstrapFile["urls"] };
  startTime: Date;
  /** The same services for each shard. */
  shards: ShardSet<Services>;
}

/** Functions that close what is open, in the order of opening; called in reverse. */
export type Cleanup = (() => Promise<unknown>)[];

export interface OpenOptions {
  config: Config;
  log: Log;
  /** Called when the process cannot continue, for example because PostgreSQL exited. */
  onFatal?: (reason: string) => void;
  /** Ends a start that is not done: it rejects with the signal's reason. */
  signal?: AbortSignal;
  providerTimeoutMs?: number;
  /** Default: the time is the database's. Otherwise it is this process's own, which a test can set. */
  followsClock?: boolean;
  /** For tests: see `openDatabase`. */
  sideRoles?: SideRoles | undefined;
  openBoth?: OpenBoth | undefined;
  /** For tests: called before shards beside the main one are opened. */
  beforeShards?: ((main: Database) => Promise<unknown>) | undefined;
}

/** Throws `StartError` for what an operator must fix. Everything that was opened before is in `closers`. */
export async function openServices(options: OpenOptions, closers: Cleanup): Promise<Services> {
  const { config, log, providerTimeoutMs } = options;
  const loaded = await loadCatalog(config.catalogPath);
  const reports = await openReports(options, closers);
  await openDataFolder(config.dataDir);
  const sealer = new Sealer(await readEncryptionKeys(config));
  const database = await connect(options, closers);
  await requireKeys({ queries: database.control, sealer });
  const changes = await openChanges({ database, log, customProviders: loaded.customProviders }, closers);
  const identity = await claimProcessIdentity(database.connectionString, log);
  const egress = openEgress(config.egressAllow);
  const uses = openLastUses({ database, log });
  for (const opened of [identity, egress, uses]) closers.push(() => opened.close());
  const metrics = reports.getMetrics(database);
  const connections = openLiveConnections({
    database,
    identity,
    refreshLimits: config.tokenRefreshes,
    changes,
    sealer,
    egress,
    catalog: loaded.catalog,
    log,
    countRefresh: metrics?.countRefresh,
  });
  closers.push(() => connections.settled());
  const address = { publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}` };
  const publicUrl = () => address.publicUrl;
  const sessions = openSignInSessions({ database, log, issuer: config.oidc?.issuer, publicUrl });
  const issuer = config.oidc && openOidcIssuer({ egress, oidc: config.oidc, log });
  const services = await withShards(
    {
      config,
      log,
      ...loaded,
      sealer,
      database,
      changes,
      identity,
      egress,
      sessions,
      issuerSignIn: issuer && openIssuerSignIn({ database, issuer, log, publicUrl }),
      access: openAccess({
        database,
        changes,
        sessions,
        uses,
        identifyPerson: issuer && openPersonTokens({ database, issuer }),
      }),
      connections,
      countRefresh: metrics?.countRefresh,
      metadata: openMetadataMemory(),
      ...openShardParts({ database, changes, identity, log, metrics }, closers),
      idempotency: openIdempotency({ database, identity, keptHours: config.idempotencyHours }),
      metrics,
      tracer: reports.tracer,
      minuteMs: config.minuteMs,
      providerTimeoutMs,
      ...pushServices({ database, changes, sealer, log }),
      newApprovals: new NewWork(),
      proxyCaller: createLateProxyCaller(),
      startTime: now(),
      address,
    },
    closers,
  );
  await followShards(services, closers);
  return services;
}

/** Opens what reports about this process: metrics for Prometheus, and metrics and traces for a collector. */
async function openReports({ config, log }: OpenOptions, closers: Cleanup) {
  const loaded = config.telemetry && (await import("./telemetry/open-telemetry.ts"));
  const telemetry = config.telemetry && loaded?.openTelemetry(config.telemetry, log);
  if (telemetry) closers.push(() => telemetry.close());
  return {
    tracer: telemetry?.tracer,
    getMetrics(database: Database): Metrics | undefined {
      if (!config.metrics && !config.telemetry?.metricsUrl) return undefined;
      const metrics = openMetrics(database);
      telemetry?.sendMetrics(metrics.registry);
      return metrics;
    },
  };
}

/** Opens what receives pushes. */
function pushServices({
  database,
  changes,
  sealer,
  log,
}: Pick<Services, "database" | "changes" | "sealer" | "log">): Pick<
  Services,
  "pushTargets" | "pushInbox" | "signatures" | "newPushes"
> {
  const newPushes = new NewWork();
  return {
    pushTargets: openPushTargets({ database, changes, sealer }),
    pushInbox: openPushInbox({ database, newPushes }),
    signatures: watchSignatures({ database, log }),
    newPushes,
  };
}

/** Listens, and reads what is kept in memory as long as the process runs. */
async function openChanges(
  { database, log, customProviders }: Pick<Services, "database" | "log" | "customProviders">,
  closers: Cleanup,
): Promise<Changes> {
  const changes = await listenToDatabase(database, log);
  closers.push(() => changes.close());
  await customProviders.keep({ database, changes, log });
  return changes;
}

async function connect(
  { config, log, onFatal, signal, followsClock = true, sideRoles, openBoth, beforeShards }: OpenOptions,
  closers: Cleanup,
): Promise<Database> {
  let { databaseUrl } = config;
  if (!databaseUrl) {
    const onExit = (detail: string) => onFatal?.(`the embedded PostgreSQL exited: ${detail}`);
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit, signal });
    closers.push(() => postgres.stop());
    databaseUrl = postgres.connectionString;
  }
  const opening = openDatabase({
    connectionString: databaseUrl,
    log,
    poolSize: config.databaseConnections,
    dataUrl: config.dataDatabaseUrl,
    replicationUrl: config.replicationUrl,
    mainWeight: config.mainWeight,
    sideRoles,
    openBoth,
  });
  // A migration may take long, or wait for another one.
  const database = await waitUnlessAborted(opening, signal);
  closers.push(() => database.close());
  await beforeShards?.(database);
  if (followsClock) {
    const time = await keepTime({ database, log });
    closers.push(() => time.close());
  }
  return database;
}

/** Resolves as the promise does, but rejects at once if the signal aborts. */
function waitUnlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** Loads the catalog. It looks up custom providers, which are read as soon as the database is open. */
async function loadCatalog(
  path: string | undefined,
): Promise<{ catalog: Catalog; customProviders: CustomProviderMemory }> {
  const customProviders = new CustomProviderMemory();
  const openCustomProviders = (projectId: string) => customProviders.of(projectId);
  if (path === undefined) return { catalog: buildCatalog(undefined, openCustomProviders), customProviders };
  try {
    const overlay: unknown = parseYaml(await readFile(path, "utf8"));
    // An overlay file that was not written completely would leave the built-in addresses in use.
    if (overlay === null || overlay === undefined)
      throw new Error("the file is empty; it must have the member providers");
    return { catalog: buildCatalog(overlay, openCustomProviders), customProviders };
  } catch (cause) {
    // The parser draws the place below its first line; a start error is one line.
    const [reason = ""] = readMessage(cause).split("\n");
    const what = cause instanceof CatalogError ? "has errors" : "cannot be read";
    throw new StartError(`BUSBAR_CATALOG: ${path} ${what}: ${reason}`, { cause });
  }
}
