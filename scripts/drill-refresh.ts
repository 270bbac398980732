/**
 * The refresh drill: two processes refresh the tokens of many customers at a provider that replaces every refresh token,
 * while the database is shut down or killed (-9) and started again. Afterwards every customer must have the refresh token
 * that the provider gave last, none may have been sent twice, and every connection must still be refreshable.
 *
 *     node scripts/drill-refresh.ts [--connections 200] [--restarts 6]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startChildBusbar, type ChildBusbar } from "../tests/harness/child-busbar.ts";
import { openRestartablePostgres } from "../tests/harness/restartable-postgres.ts";
import { startRotatingEndpoint, type RotatingEndpoint } from "./drill-refresh/rotating-endpoint.ts";

export interface RefreshDrillReport {
  connections: number;
  restarts: number;
  /** Answers with new tokens that the provider gave. */
  refreshed: number;
  /** Of these, under way when the database went away, or given before it was back. */
  duringOutages: number;
  /** Connections that do not have the refresh token that the provider gave last. */
  lost: string[];
  sentTwice: number;
  badCredentials: string[];
  /** Forced refreshes by the status that the caller got. */
  answers: Record<string, number>;
  /** From the return of the database until all tokens of `duringOutages` were stored; the longest of all restarts. */
  storedAfterMs: number;
  seconds: number;
}

export interface RefreshDrillOptions {
  connections: number;
  restarts: number;
  onProgress?(text: string): void;
}

const ENDPOINT_MS = 1_500;
/** So many answers are under way when the database goes away, fewer with few connections. */
const MET_AT_LEAST = 20;
const DOWN_MS = 2_000;
const STORED_WITHIN_MS = 120_000;
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
    const drill = new Drill(processes, endpoint);
    await drill.connect(options.connections);
    let storedAfterMs = 0;
    let duringOutages = 0;
    for (let restart = 1; restart <= options.restarts; restart += 1) {
      const forced = drill.forceAll();
      await until(() => endpoint.pending() >= Math.min(MET_AT_LEAST, options.connections / 3));
      const before = endpoint.counts.refreshed - endpoint.pending();
      await database.restart(restart % 2 === 0 ? "shut down" : "kill", DOWN_MS);
      duringOutages += endpoint.counts.refreshed - before;
      storedAfterMs = Math.max(storedAfterMs, await drill.untilStored());
      await forced;
      options.onProgress?.(`restart ${restart}: ${endpoint.counts.refreshed} refreshes so far`);
    }
    // A lost token shows now.
    await drill.forceAll();
    await drill.untilStored();
    return {
      ...options,
      ...endpoint.counts,
      duringOutages,
      ...(await drill.judge()),
      answers: drill.answers,
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
export const faultsOf = (report: RefreshDrillReport): string[] => [
  ...(report.duringOutages > 0 ? [] : ["no refresh met an outage, so nothing was tried"]),
  ...(report.sentTwice === 0 ? [] : [`${report.sentTwice} refresh tokens were sent twice`]),
  ...(report.lost.length === 0 ? [] : [`lost: ${report.lost.slice(0, 5).join("; ")}`]),
  ...(report.badCredentials.length === 0 ? [] : [`bad: ${report.badCredentials.slice(0, 5).join("; ")}`]),
  // 200, or 503 from a database that is away: the caller may try again.
  ...Object.keys(report.answers)
    .filter((status) => !["200", "502", "503"].includes(status))
    .map((status) => `${report.answers[status]} refreshes were answered ${status}`),
];

class Drill {
  readonly answers: Record<string, number> = {};
  readonly #processes: ChildBusbar[];
  readonly #endpoint: RotatingEndpoint;
  /** Ids by the name of the grant. */
  readonly #connections = new Map<string, string>();

  constructor(processes: ChildBusbar[], endpoint: RotatingEndpoint) {
    this.#processes = processes;
    this.#endpoint = endpoint;
  }

  /** A process for each call, in turn. */
  #through(index: number): ChildBusbar {
    const child = this.#processes[index % this.#processes.length];
    if (!child) throw new Error("no process was started");
    return child;
  }

  async connect(count: number): Promise<void> {
    const app = { provider: "rotating", clientId: "drill", clientSecret: "secret" };
    await made(this.#through(0).inProject("POST", "/provider-apps", app));
    for (let index = 0; index < count; index += 1) {
      const name = `customer-${index}`;
      const { id } = await made(
        this.#through(index).inProject("POST", "/connections:generate", {
          provider: "rotating",
          groupRef: name,
          consumerRef: "drill",
          oauth2AuthorizationCode: {
            accessToken: { token: "expired", expiresAt: "2020-01-01T00:00:00Z" },
            refreshToken: { token: this.#endpoint.grant(name) },
          },
        }),
      );
      this.#connections.set(name, id);
    }
  }

  /** Asks both processes to refresh every connection, at once. */
  async forceAll(): Promise<void> {
    await Promise.all(
      [...this.#connections.values()].flatMap((id) =>
        this.#processes.map(async (child) => {
          const { status } = await asked(child, `/connections/${id}?refresh=force`);
          this.answers[status] = (this.answers[status] ?? 0) + 1;
        }),
      ),
    );
  }

  async #stored(id: string): Promise<{ refreshToken?: string; status?: string }> {
    const query = "?includeCreds=true&includeRefreshToken=true";
    const { body } = await asked(this.#through(0), `/connections/${id}${query}`);
    return { refreshToken: body.oauth2AuthorizationCode?.refreshToken?.token, status: body.status };
  }

  /** Connections whose stored refresh token is older than `wanted`. */
  async #behind(wanted: Map<string, string | undefined>): Promise<string[]> {
    const found = await Promise.all(
      [...this.#connections].map(async ([name, id]) => {
        const { refreshToken } = await this.#stored(id);
        const isThere = generationOf(refreshToken) >= generationOf(wanted.get(name) ?? "revoked");
        return isThere ? [] : [`${name} has ${refreshToken} instead of ${wanted.get(name)}`];
      }),
    );
    return found.flat();
  }

  #given(): Map<string, string | undefined> {
    return new Map([...this.#connections.keys()].map((name) => [name, this.#endpoint.current(name)]));
  }

  /** Milliseconds until every connection has the token that it was given before now, at most `STORED_WITHIN_MS`. */
  async untilStored(): Promise<number> {
    const given = this.#given();
    const startedMs = performance.now();
    for (;;) {
      const behind = await this.#behind(given);
      const tookMs = performance.now() - startedMs;
      if (behind.length === 0 || tookMs > STORED_WITHIN_MS) return tookMs;
      await wait(50);
    }
  }

  async judge(): Promise<Pick<RefreshDrillReport, "lost" | "badCredentials">> {
    const badCredentials = [];
    for (const [name, id] of this.#connections)
      if ((await this.#stored(id)).status === "bad_credentials") badCredentials.push(name);
    return { lost: await this.#behind(this.#given()), badCredentials };
  }
}

/** Infinite for a grant that was revoked: no stored token is as new. */
const generationOf = (token = "none.0"): number => Number(token.split(".")[1] ?? Number.POSITIVE_INFINITY);

/** Repeats a call once, as HTTP allows for GET: a kept connection may be closed at the moment at which it is used again. */
const asked = (child: ChildBusbar, path: string): ReturnType<ChildBusbar["inProject"]> =>
  child.inProject("GET", path).catch(() => child.inProject("GET", path));

async function made(call: ReturnType<ChildBusbar["inProject"]>): Promise<{ id: string }> {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(text);
  return body;
}

const startProcess = (dataDir: string, home: string, databaseUrl: string): Promise<ChildBusbar> =>
  startChildBusbar(dataDir, {
    DATABASE_URL: databaseUrl,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
    BUSBAR_BOOTSTRAP_API_KEY: KEY,
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_LOG_LEVEL: "info",
  });

async function until(look: () => boolean): Promise<void> {
  for (let tries = 0; !look(); tries += 1) {
    if (tries > 12_000) throw new Error(`nothing within 120 s: ${look.toString()}`);
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
  const faults = faultsOf(report);
  console.log(JSON.stringify(report, null, 2));
  console.log(faults.length === 0 ? "PASSED" : `FAILED: ${faults.join(" | ")}`);
  process.exit(faults.length === 0 ? 0 : 1);
}
