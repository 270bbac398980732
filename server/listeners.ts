/** Opens the two listeners: management, write, read and search API on one, the proxy on the other. */
import cluster from "node:cluster";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { openAudit } from "./access/audit-change.ts";
import { openOperations } from "./agents/api-operations.ts";
import { openIssuerTokens } from "./agents/issuer-token.ts";
import { serveCustomerTools } from "./agents/customer-tools.ts";
import { serveManageTools } from "./agents/manage/manage-tools.ts";
import type { BootstrapFile } from "./data-folder/data-folder.ts";
import { openClientAddress, type ClientAddress } from "../ground/client-address.ts";
import type { Config } from "../ground/config.ts";
import { toReachableHost } from "../ground/to-reachable-host.ts";
import type { Route } from "./http/endpoint.ts";
import type { Audit, OnAnswer } from "./http/server-options.ts";
import { limitConnections } from "./http/connection-limits.ts";
import { openRequestLog } from "./api/requests/request-log.ts";
import { createServer } from "./http/server.ts";
import { listenHealth } from "./health-listener.ts";
import { openLimits } from "./proxy/limits.ts";
import { createProxyServer, type ProxyServer } from "./proxy/proxy-server.ts";
import { listenError } from "./require-free-ports.ts";
import { listRoutes } from "./routes.ts";
import { openBuiltDashboard, type BuiltDashboard } from "./dashboard/built-dashboard.ts";
import { renderDashboardPage, serveDashboard } from "./dashboard/serve-dashboard.ts";
import { serveMetrics } from "./metrics/metrics-endpoint.ts";
import type { Cleanup, Services } from "./services.ts";
import type { Workers } from "./workers.ts";

/** Opens the listeners and returns their public addresses. */
export async function listen(
  deps: Services,
  options: { onAnswer?: OnAnswer; workers?: Workers; isStopping: () => boolean },
  closers: Cleanup,
): Promise<BootstrapFile["urls"]> {
  const { config, log } = deps;
  let publicUrl = config.publicUrl ?? "";
  const docsUrl = () => `${publicUrl}/docs`;
  // Both are closed at the same time, so that none accepts requests while the other finishes its own.
  const listeners: Cleanup = [];
  const clientAddress = openClientAddress(config.trustedProxies);
  const proxy = openProxy(deps, docsUrl);
  deps.proxyCaller.open(proxy);
  const requests = openRequestLog(deps);
  closers.push(async () => {
    await Promise.all(listeners.map((close) => close()));
    // Rows of the last calls may not be in the database yet.
    await Promise.all([proxy.flushed(), requests.close()]);
  });
  const { workers, onAnswer, isStopping } = options;
  const dashboard = openDashboard(deps, closers);
  const currentUrls = () => deps.address.urls ?? listAddresses(config, publicUrl, undefined);
  const table = listRoutes({
    ...deps,
    publicUrl: () => publicUrl,
    dashboardPage: dashboard && (() => renderDashboardPage(dashboard)),
    proxyCaller: proxy,
    urls: currentUrls,
    workerRunning: workers && (() => workers.running),
    isStopping,
  });
  const audit = openAudit(deps);
  const api = createServer({
    routes: table,
    authorize: deps.access.authorize,
    confine: deps.access.confine,
    audit,
    caughtUp: deps.changes.caughtUp,
    log,
    tracer: deps.tracer,
    surfaceHosts: config.surfaceHosts,
    clientAddress,
    docsUrl,
    proxyUrl: () => currentUrls().proxy,
    isHttps: () => publicUrl.startsWith("https:"),
    maxConnections: config.apiConnections,
    support: config.support,
    onRefused: requests.add,
    onAnswer,
  });
  releaseClients([api.server, proxy], isStopping);
  if (deps.metrics && config.metrics) serveMetrics(api, deps.metrics.registry);
  if (dashboard) serveDashboard(api, dashboard);
  serveAgentTools(api, deps, { table, audit, clientAddress, docsUrl, publicUrl: () => publicUrl });
  if (config.roles.has("api")) {
    listeners.push(() => drain(api.server, () => api.close()));
    const address = await listenApi(api, config);
    publicUrl ||= address;
  }
  if (config.healthPort !== undefined) {
    const health = await listenHealth(api, config);
    listeners.push(() => drain(health, () => closeServer(health)));
  }
  publicUrl ||= `http://${config.host}:${config.port}`;
  deps.address.publicUrl = publicUrl;
  const proxyUrl = config.roles.has("proxy") ? await listenProxy(proxy, deps, listeners) : undefined;
  const urls = listAddresses(config, publicUrl, proxyUrl);
  deps.address.urls = urls;
  return urls;
}

/** Serves the endpoints of agents: of each customer, and of each project. */
function serveAgentTools(
  api: FastifyInstance,
  deps: Services,
  {
    table,
    audit,
    ...by
  }: {
    table: readonly Route[];
    audit: Audit;
    clientAddress: ClientAddress;
    docsUrl: () => string;
    publicUrl: () => string;
  },
): void {
  const agents = {
    ...deps,
    ...by,
    callOperation: openOperations(table, audit),
    issuerTokens: openIssuerTokens(deps),
  };
  serveCustomerTools(api, agents);
  serveManageTools(api, agents);
}

const openProxy = (deps: Services, docsUrl: () => string): ProxyServer =>
  createProxyServer({
    ...deps,
    trustedProxies: deps.config.trustedProxies,
    docsUrl,
    support: deps.config.support,
    limits: openLimits(deps.config.proxyLimits),
    meter: deps.metrics?.proxy,
  });

function openDashboard({ config, log }: Services, closers: Cleanup): BuiltDashboard | undefined {
  if (!config.dashboard || !config.roles.has("api")) return undefined;
  // With `--processes`, the parent builds.
  const dashboard = openBuiltDashboard({ dataDir: config.dataDir, log, builds: !cluster.isWorker });
  closers.push(() => dashboard.close());
  return dashboard;
}

const listAddresses = (
  config: Config,
  publicUrl: string,
  proxyUrl: string | undefined,
): BootstrapFile["urls"] => ({
  base: `${publicUrl}/v1`,
  write: `${publicUrl}/write/v1`,
  read: `${publicUrl}/read/v1`,
  search: `${publicUrl}/search/v1`,
  proxy: config.proxyPublicUrl ?? proxyUrl ?? `http://${config.host}:${config.proxyPort}`,
  dashboard: `${publicUrl}/`,
});

async function listenApi(api: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await api.listen({ host, port });
  } catch (cause) {
    throw listenError("BUSBAR_PORT", { host, port }, cause);
  }
  return buildOrigin(api.server, host);
}

async function listenProxy(
  proxy: ProxyServer,
  { config, log }: Services,
  listeners: Cleanup,
): Promise<string> {
  limitConnections(proxy, config.proxyConnections, log, "BUSBAR_PROXY_CONNECTIONS");
  await new Promise<void>((resolve, reject) => {
    proxy.once("error", (cause) =>
      reject(listenError("BUSBAR_PROXY_PORT", { host: config.host, port: config.proxyPort }, cause)),
    );
    proxy.listen(config.proxyPort, config.host, resolve);
  });
  listeners.push(() => drain(proxy, () => closeServer(proxy)));
  return buildOrigin(proxy, config.host);
}

function buildOrigin(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${toReachableHost(host)}:${port}`;
}

/** Answers with `Connection: close` while the process stops, so that clients open their next connection elsewhere. */
function releaseClients(servers: Server[], isStopping: () => boolean): void {
  for (const server of servers) {
    server.prependListener("request", (_request, response) => {
      if (isStopping()) response.setHeader("connection", "close");
    });
  }
}

const DRAIN_MS = 30_000;
const SWEEP_MS = 50;

/**
 * Stops accepting and waits for requests in progress, 30 s at most. Node closes connections that are idle now, but keeps
 * those that become idle later for their keep-alive time, so these are closed here.
 */
async function drain(server: Server, close: () => PromiseLike<unknown>): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    await close();
  } finally {
    clearInterval(sweep);
    clearTimeout(timer);
  }
}

const closeServer = (server: Server): Promise<void> =>
  new Promise<void>((resolve) => server.close(() => resolve()));
