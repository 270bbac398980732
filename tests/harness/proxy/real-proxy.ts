/** The whole proxy as the entrance starts it, on a database, with a provider of its own in the catalog. */
import type { Server } from "node:http";
import { buildCatalog } from "../../../connectors/catalog.ts";
import { openAccess } from "../../../server/access/authorize.ts";
import { openLastUses } from "../../../server/access/last-uses-log.ts";
import { openSignInSessions } from "../../../server/access/sign-in-sessions.ts";
import { openLiveConnections } from "../../../server/calls/open-live-connections.ts";
import { openEgress } from "../../../server/egress/open-egress.ts";
import { createLog } from "../../../ground/log.ts";
import { listenForChanges } from "../../../server/store/database/changes.ts";
import type { Database } from "../../../server/store/database/database.ts";
import { openDatabase } from "../../../server/store/database/open-database.ts";
import { createProxyServer, type ProxyMeter } from "../../../server/proxy/proxy-server.ts";
import { PROVIDER, testSealer, type Stock } from "./stock-database.ts";
import { dial, listen, type WireMessage } from "./wire.ts";

export interface RealProxy {
  server: Server;
  database: Database;
  /** Nothing is under way any more that would make the proxy forget what it remembers. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Facts of the provider `acme`, to be merged with what a test is about. */
export const acme = (origin: string, more: object = {}): object => ({
  displayName: "Acme",
  authType: "apiKey",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Acme-Key" } },
  baseURL: origin,
  support: { proxy: true },
  ...more,
});

interface RealProxyOptions {
  connectionString: string;
  provider: object;
  meter?: (database: Database) => ProxyMeter;
  trustedProxies?: string[];
}

/** The same, listening. */
export async function startRealProxy(options: RealProxyOptions): Promise<RealProxy & { port: number }> {
  const proxy = await openRealProxy(options);
  return { ...proxy, port: await listen(proxy.server) };
}

export async function openRealProxy(options: RealProxyOptions): Promise<RealProxy> {
  const log = createLog("silent");
  const catalog = buildCatalog({ providers: { [PROVIDER]: options.provider } });
  const database = await openDatabase({ connectionString: options.connectionString, log, poolSize: 5 });
  const changes = await listenForChanges(options.connectionString, log);
  const egress = openEgress(["127.0.0.1"]);
  const uses = openLastUses({ database, log });
  const access = openAccess({
    uses,
    database,
    changes,
    sessions: openSignInSessions({ database, log, publicUrl: () => "http://busbar.test" }),
  });
  const connections = openLiveConnections({
    database,
    changes,
    sealer: testSealer(),
    egress,
    catalog,
    log,
    identity: { id: 0, findDead: async () => [] },
    refreshLimits: { max: 10, maxPerProvider: 10 },
  });
  const docsUrl = () => "http://docs.test";
  const server = createProxyServer({
    database,
    changes,
    access,
    connections,
    egress,
    catalog,
    log,
    docsUrl,
    trustedProxies: options.trustedProxies,
    meter: options.meter?.(database),
  });
  return {
    server,
    database,
    async settled() {
      await connections.settled();
      await changes.caughtUp();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await server.flushed();
      await egress.close();
      await changes.close();
      await database.close();
    },
  };
}

/** Returns the header lines of a call; `undefined` leaves a line out. */
export function listLines(stock: Stock, more: Record<string, string | undefined> = {}): string[] {
  const lines: Record<string, string | undefined> = {
    host: "proxy.test",
    "x-amp-proxy-version": "1",
    "x-amp-project-id": stock.projectId,
    "x-api-key": stock.apiKey,
    "x-amp-installation-id": stock.installationId,
    ...more,
  };
  return Object.entries(lines).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}

/** One call on a connection of its own. */
export async function callProxy(
  port: number,
  lines: string[],
  target = "/x",
): Promise<WireMessage | undefined> {
  const { socket, reader } = await dial(port);
  socket.write(Buffer.from([`GET ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1"));
  const message = await reader.message();
  reader.close();
  return message;
}
