/** The entrance: configuration → database → services → listeners, and the same backwards on the way out. */
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { parse as parseYaml } from "yaml";
import { buildCatalog, CatalogError, type Catalog } from "../connectors/catalog.ts";
import { openAccess, type Access } from "./access/authorize.ts";
import { bootstrapIfEmpty, findBootstrap, type Bootstrap } from "./access/bootstrap.ts";
import { openLiveConnections, type LiveConnections } from "./credentials/live-connections.ts";
import {
  generatedKeys,
  openDataFolder,
  readBootstrapFile,
  rememberBootstrapKey,
  writeBootstrapFile,
  type BootstrapFile,
} from "./data-folder.ts";
import { openEgress, type Egress } from "./egress.ts";
import type { Config } from "./ground/config.ts";
import { StartError } from "./ground/errors.ts";
import { newApiKey } from "./ground/ids.ts";
import type { Log } from "./ground/log.ts";
import { Sealer } from "./ground/seal.ts";
import { createServer } from "./http/server.ts";
import { createProxyServer } from "./proxy/proxy-server.ts";
import { routes } from "./routes.ts";
import { listenForChanges, type Changes } from "./store/changes.ts";
import { openDatabase, type Database } from "./store/database.ts";
import { startEmbeddedPostgres } from "./store/embedded/start-embedded-postgres.ts";

export interface Busbar {
  urls: BootstrapFile["urls"];
  /** The first start's key and ids; undefined when an earlier start had them and they are not known here. */
  bootstrap: Bootstrap | undefined;
  /** Stops accepting, finishes what is under way (30 s at most), closes everything. */
  stop(): Promise<void>;
}

export interface StartOptions {
  config: Config;
  log: Log;
  /** Called when the process cannot go on, for example because PostgreSQL died. */
  onFatal?: (reason: string) => void;
  /** For tests: every answer is checked against its schema. */
  checkAnswers?: boolean;
  providerTimeoutMs?: number;
}

/** What is open, in the order it was opened; closed in reverse. */
type Closers = (() => Promise<unknown>)[];

/** Starts Busbar. Throws `StartError` for what a person must mend; then nothing is left running. */
export async function startBusbar(options: StartOptions): Promise<Busbar> {
  const closers: Closers = [];
  try {
    return await open(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function open(options: StartOptions, closers: Closers): Promise<Busbar> {
  const { config, log } = options;
  const catalog = await loadCatalog(config.catalogPath);
  await openDataFolder(config.dataDir);
  const sealer = new Sealer(config.encryptionKeys ?? (await generatedKeys(config.dataDir)));
  const database = await connect(options, closers);
  const changes = await listenForChanges(database.connectionString, log);
  closers.push(() => changes.close());
  const egress = openEgress(config.egressAllow);
  closers.push(() => egress.close());
  const access = openAccess({ database, changes });
  const connections = openLiveConnections({ database, changes, sealer, egress, catalog, log });
  const services = { config, log, catalog, sealer, database, changes, egress, access, connections };
  const created = await firstKey(config, database);
  const urls = await listen(options, services, closers);
  const bootstrap = await keepBootstrapFile(config, database, created, urls);
  log.info({ urls }, "Busbar is ready");
  return { urls, bootstrap, stop: () => closeAll(closers) };
}

interface Opened {
  catalog: Catalog;
  sealer: Sealer;
  database: Database;
  changes: Changes;
  egress: Egress;
  access: Access;
  connections: LiveConnections;
}

async function connect({ config, log, onFatal }: StartOptions, closers: Closers): Promise<Database> {
  let { databaseUrl } = config;
  if (!databaseUrl) {
    const onExit = (detail: string) => onFatal?.(`the embedded PostgreSQL ended: ${detail}`);
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit });
    closers.push(() => postgres.stop());
    databaseUrl = postgres.connectionString;
  }
  const database = await openDatabase({ connectionString: databaseUrl, log });
  closers.push(() => database.close());
  return database;
}

async function loadCatalog(path: string | undefined): Promise<Catalog> {
  if (path === undefined) return buildCatalog();
  try {
    return buildCatalog(parseYaml(await readFile(path, "utf8")));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = cause instanceof CatalogError ? "has mistakes" : "cannot be read";
    throw new StartError(`BUSBAR_CATALOG: ${path} ${what}: ${reason}`, { cause });
  }
}

/** An empty database gets its first key; the key is on disk before the database knows it, so no crash loses it. */
async function firstKey(config: Config, database: Database): Promise<Bootstrap | undefined> {
  if (config.bootstrapApiKey) {
    return (
      (await bootstrapIfEmpty(database, config.bootstrapApiKey)) ??
      findBootstrap(database, config.bootstrapApiKey)
    );
  }
  if (await readBootstrapFile(config.dataDir)) return undefined;
  const apiKey = await rememberBootstrapKey(config.dataDir, newApiKey());
  return (await bootstrapIfEmpty(database, apiKey)) ?? findBootstrap(database, apiKey);
}

async function keepBootstrapFile(
  config: Config,
  database: Database,
  created: Bootstrap | undefined,
  urls: BootstrapFile["urls"],
): Promise<Bootstrap | undefined> {
  const known = await readBootstrapFile(config.dataDir);
  // A data folder may outlive its database; a file whose key opens nothing is replaced or left.
  const current = created ?? (known && (await findBootstrap(database, known.apiKey)));
  if (current) await writeBootstrapFile(config.dataDir, { ...current, urls });
  return current;
}

async function listen(options: StartOptions, on: Opened, closers: Closers): Promise<BootstrapFile["urls"]> {
  const { config, log, checkAnswers, providerTimeoutMs } = options;
  let publicUrl = config.publicUrl ?? "";
  const docsUrl = () => `${publicUrl}/docs`;
  const api = createServer({
    routes: routes({ ...on, log, publicUrl: () => publicUrl, providerTimeoutMs }),
    authorize: on.access.authorize,
    log,
    surfaceHosts: config.surfaceHosts,
    docsUrl,
    checkAnswers,
  });
  if (config.roles.has("api")) {
    closers.push(() => api.close());
    const address = await listenApi(api, config);
    publicUrl ||= address;
  }
  publicUrl ||= `http://${config.host}:${config.port}`;
  const proxyUrl = config.roles.has("proxy") ? await listenProxy(options, on, docsUrl, closers) : undefined;
  return {
    base: `${publicUrl}/v1`,
    write: `${publicUrl}/write/v1`,
    read: `${publicUrl}/read/v1`,
    search: `${publicUrl}/search/v1`,
    proxy: config.proxyPublicUrl ?? proxyUrl ?? `http://${config.host}:${config.proxyPort}`,
    dashboard: `${publicUrl}/`,
  };
}

async function listenApi(api: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await api.listen({ host, port });
  } catch (cause) {
    throw listenError("BUSBAR_PORT", port, cause);
  }
  return originOf(api.server, host);
}

async function listenProxy(
  { config, log }: StartOptions,
  on: Opened,
  docsUrl: () => string,
  closers: Closers,
): Promise<string> {
  const proxy = createProxyServer({ ...on, log, docsUrl });
  await new Promise<void>((resolve, reject) => {
    proxy.once("error", (cause) => reject(listenError("BUSBAR_PROXY_PORT", config.proxyPort, cause)));
    proxy.listen(config.proxyPort, config.host, resolve);
  });
  closers.push(() => closeListener(proxy));
  return originOf(proxy, config.host);
}

function listenError(variable: string, port: number, cause: unknown): StartError {
  const inUse = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  const why = inUse
    ? `${port} is in use by another program; set another`
    : `cannot listen on ${port}: ${String(cause)}`;
  return new StartError(`${variable}: ${why}`, { cause });
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  // A wildcard address is where we listen, not where anybody calls.
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const DRAIN_MS = 30_000;

async function closeListener(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}

async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}
