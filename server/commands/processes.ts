/** `busbar start --processes N`: runs several processes that share listeners and database, and replaces those that die. */
import cluster, { type Worker } from "node:cluster";
import { join } from "node:path";
import { openDataFolder } from "../data-folder/data-folder.ts";
import { readEncryptionKeys } from "../data-folder/encryption-keys.ts";
import type { Config } from "../../ground/config.ts";
import { StartError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { PROJECT_ROOT } from "../../ground/project-root.ts";
import { openBuiltDashboard } from "../dashboard/built-dashboard.ts";
import { answerScrapes } from "../metrics/metrics-endpoint.ts";
import { requireFreePorts } from "../require-free-ports.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";

/** Message of a process that is ready to serve. */
export const READY = "busbar-ready";

/** Pause before a dead process is replaced; doubles after each failed start. */
const RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;
/** Connections of all processes together to the embedded database, which allows 100. */
const EMBEDDED_CONNECTIONS = 72;

interface Processes {
  stop(): Promise<void>;
}

interface Crew {
  env: Record<string, string>;
  log: Log;
  onFatal(reason: string): void;
  stopping: boolean;
}

/**
 * Starts the embedded database, if it is used, then the processes: the first one alone, because it migrates and creates the
 * first key. Rejects with a `StartError` if that one cannot start; it has printed why. If the signal aborts, ends all and rejects with
 * its reason.
 */
export async function startProcesses(
  count: number,
  deps: { config: Config; log: Log; onFatal(reason: string): void; signal: AbortSignal },
): Promise<Processes> {
  const { config, log, onFatal, signal } = deps;
  const crew: Crew = {
    env: {},
    log,
    onFatal,
    stopping: false,
  };
  await requireFreePorts(config);
  if (config.metrics) answerScrapes();
  const stopDatabase = await openDatabase(count, deps, crew);
  const dashboard =
    config.dashboard && config.roles.has("api")
      ? openBuiltDashboard({ dataDir: config.dataDir, log })
      : undefined;
  cluster.setupPrimary({ exec: join(PROJECT_ROOT, "server/busbar.mjs"), args: ["start"] });
  const endAll = async (): Promise<void> => {
    crew.stopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    await dashboard?.close();
    await stopDatabase();
  };
  // A process that is asked to stop for the second time ends at once.
  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= endAll());
  // Those that are not ready end, so that nobody waits for them.
  signal.addEventListener("abort", () => void stop().catch(() => {}));
  try {
    signal.throwIfAborted();
    await waitUntilReady(forkProcess(crew));
    signal.throwIfAborted();
    await Promise.all(Array.from({ length: count - 1 }, () => waitUntilReady(forkProcess(crew))));
    signal.throwIfAborted();
  } catch (error) {
    await stop();
    throw signal.aborted ? signal.reason : error;
  }
  log.info({ processes: count, dataDir: config.dataDir }, "all processes are ready");
  return { stop };
}

/** Starts the embedded database and passes it and the keys to the processes by their environment. */
async function openDatabase(
  count: number,
  { config, log, onFatal, signal }: Parameters<typeof startProcesses>[1],
  crew: Crew,
): Promise<() => Promise<void>> {
  if (config.databaseUrl) return async () => {};
  await openDataFolder(config.dataDir);
  const keys = await readEncryptionKeys(config);
  const onExit = (detail: string) => onFatal(`the embedded PostgreSQL exited: ${detail}`);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit, signal });
  crew.env = {
    DATABASE_URL: postgres.connectionString,
    BUSBAR_ENCRYPTION_KEYS_COMMAND: "",
    BUSBAR_ENCRYPTION_KEYS: keys.map(({ id, secret }) => `${id}:${secret.toString("base64")}`).join(","),
    BUSBAR_DATABASE_CONNECTIONS: String(Math.max(5, Math.floor(EMBEDDED_CONNECTIONS / count))),
  };
  return () => postgres.stop();
}

function forkProcess(crew: Crew): Worker {
  const worker = cluster.fork(crew.env);
  worker.once("exit", (code, signal) => {
    if (crew.stopping || !served.has(worker)) return;
    crew.log.error({ pid: worker.process.pid, code, signal }, "a process died and will be replaced");
    setTimeout(() => void replace(crew, RESTART_MS), RESTART_MS);
  });
  return worker;
}

/** Retries as long as other processes serve: the database, for example, may be down for a while. */
async function replace(crew: Crew, pauseMs: number): Promise<void> {
  if (crew.stopping) return;
  try {
    await waitUntilReady(forkProcess(crew));
  } catch (error) {
    if (crew.stopping) return;
    if (!Object.values(cluster.workers ?? {}).some((worker) => worker && served.has(worker))) {
      return crew.onFatal(`all processes have died, and none can be started: ${String(error)}`);
    }
    const againMs = Math.min(2 * pauseMs, MAX_RESTART_MS);
    crew.log.error(
      { reason: String(error), againMs },
      "a process cannot be replaced yet; other processes still serve",
    );
    setTimeout(() => void replace(crew, againMs), againMs);
  }
}

/** Processes that became ready. One that never did has printed why, and a retry would not help. */
const served = new WeakSet<Worker>();

function waitUntilReady(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("message", (message) => {
    if (message !== READY) return;
    served.add(worker);
    resolve();
  });
  worker.once("exit", () =>
    reject(new StartError("a process exited before it was ready; its own message says why")),
  );
  return promise;
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.process.kill("SIGTERM");
  await gone;
}
