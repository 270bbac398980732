/**
 * The refresh drill: two processes refresh the tokens of many customers at a provider that replaces every refresh token,
 * while the database is shut down or killed (-9) and started again. Afterwards every customer must have the refresh token
 * that the provider gave last, none may have been sent twice, and every connection must still be refreshable.
 *
 *     node tests/drills/refresh-drill.ts [--connections 200] [--restarts 6]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { openRestartablePostgres } from "../harness/restartable-postgres.ts";
import { RefreshedConnections, listTokenFaults, type JudgedTokens } from "./refresh/refreshed-connections.ts";
import { startRotatingEndpoint } from "./refresh/rotating-endpoint.ts";
import { endDrill } from "./run-drill.ts";

interface RefreshDrillReport extends JudgedTokens {
  connections: number;
  restarts: number;
  /** Answers with new tokens that the provider gave. */
  refreshed: number;
  /** Refreshes among them that the provider answered while the database was away. */
  duringOutages: number;
  sentTwice: number;
  /** Forced refreshes by the status that the caller got. */
  answers: Record<string, number>;
  /** Time from the return of the database until all tokens of `duringOutages` were stored; the longest of all restarts. */
  storedAfterMs: number;
  seconds: number;
}

interface RefreshDrillOptions {
  connections: number;
  restarts: number;
  onProgress?(text: string): void;
}

const ENDPOINT_MS = 1_500;
/** Number of answers that are under way when the database goes away, fewer with few connections. */
const MET_AT_LEAST = 20;
const DOWN_MS = 2_000;
const KEY = "refresh-drill-key-0123456789-0123456789";

export async function refreshDrill(options: RefreshDrillOptions): Promise<RefreshDrillReport> {
  const startedMs = performance.now();
  const home = await mkdtemp(join(tmpdir(), "busbar-refresh-"));
  const database = await openRestartablePostgres(join(home, "database"));
  const endpoint = await startRotatingEndpoint(ENDPOINT_MS);
  await writeFile(
    join(home, "catalog.json"),
    JSON.stringify({ providers: { rotating: endpoint.catalogEntry } }),
  );
  const processes: ChildBusbar[] = [];
  try {
    for (const name of ["first", "second"])
      processes.push(await startProcess(join(home, name), home, database.url));
    const connections = new RefreshedConnections(processes, endpoint);
    await connections.connect(options.connections);
    let storedAfterMs = 0;
    let duringOutages = 0;
    for (let restart = 1; restart <= options.restarts; restart += 1) {
      const release = endpoint.hold();
      const forced = connections.forceAll();
      await until(() => endpoint.pending() >= Math.min(MET_AT_LEAST, options.connections / 3));
      release();
      const before = endpoint.counts.refreshed - endpoint.pending();
      await database.restart(restart % 2 === 0 ? "shut down" : "kill", DOWN_MS);
      duringOutages += endpoint.counts.refreshed - before;
      storedAfterMs = Math.max(storedAfterMs, await connections.untilStored());
      await forced;
      options.onProgress?.(`restart ${restart}: ${endpoint.counts.refreshed} refreshes so far`);
    }
    // A lost token shows now.
    await connections.forceAll();
    await connections.untilStored();
    return {
      ...options,
      ...endpoint.counts,
      duringOutages,
      ...(await connections.judge()),
      answers: connections.answers,
      storedAfterMs: Math.round(storedAfterMs),
      seconds: Math.round((performance.now() - startedMs) / 1_000),
    };
  } finally {
    for (const child of processes) {
      child.signal("SIGTERM");
      await child.exited;
    }
    endpoint.close();
    await database.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = (report: RefreshDrillReport): string[] => [
  ...(report.duringOutages > 0 ? [] : ["no refresh met an outage, so nothing was tried"]),
  ...listTokenFaults(report),
  // 200, or 503 from a database that is away: the caller may try again.
  ...Object.keys(report.answers)
    .filter((status) => !["200", "502", "503"].includes(status))
    .map((status) => `${report.answers[status]} refreshes were answered ${status}`),
];

const startProcess = (dataDir: string, home: string, databaseUrl: string): Promise<ChildBusbar> =>
  startChildBusbar(dataDir, {
    DATABASE_URL: databaseUrl,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
    BUSBAR_BOOTSTRAP_API_KEY: KEY,
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_LOG_LEVEL: "info",
  });

async function until(check: () => boolean): Promise<void> {
  for (let tries = 0; !check(); tries += 1) {
    if (tries > 12_000) throw new Error(`nothing within 120 s: ${check.toString()}`);
    await wait(10);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { connections: { type: "string" }, restarts: { type: "string" } },
  });
  const report = await refreshDrill({
    connections: Number(values.connections ?? 200),
    restarts: Number(values.restarts ?? 6),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}
