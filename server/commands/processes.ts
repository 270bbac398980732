/** `busbar start --processes N`: several Busbars behind one pair of listeners, on one database, each replaced if it dies. */
import cluster, { type Worker } from "node:cluster";
import { generatedKeys, openDataFolder } from "../data-folder/data-folder.ts";
import type { Config } from "../ground/config.ts";
import { StartError } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";
import { answerScrapes } from "../metrics/metrics-endpoint.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";

/** What a process says once it serves. */
export const READY = "busbar-ready";

/** One that dies is not started again at once; one that could not be started, after twice the pause. */
const RESTART_MS = 1_000;
const MOST_RESTART_MS = 30_000;
/** Connections that all processes together may open to the embedded database, which takes 100. */
const EMBEDDED_CONNECTIONS = 72;

export interface Processes {
  stop(): Promise<void>;
}

interface Crew {
  env: Record<string, string>;
  log: Log;
  onFatal(reason: string): void;
  stopping: boolean;
}

/**
 * Starts the database if it is the embedded one, then the processes: the first alone, because it migrates and makes
 * the first key. Rejects with a `StartError` when that one cannot start; it has said why.
 */
export async function startProcesses(
  count: number,
  deps: { config: Config; log: Log; onFatal(reason: string): void },
): Promise<Processes> {
  const { config, log, onFatal } = deps;
  const crew: Crew = {
    env: {},
    log,
    onFatal,
    stopping: false,
  };
  if (config.metrics) answerScrapes();
  const stopDatabase = await openDatabase(count, deps, crew);
  cluster.setupPrimary({ exec: `${import.meta.dirname}/../busbar.mjs`, args: ["start"] });
  const stop = async (): Promise<void> => {
    crew.stopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    await stopDatabase();
  };
  try {
    await ready(fork(crew));
    await Promise.all(Array.from({ length: count - 1 }, () => ready(fork(crew))));
  } catch (error) {
    await stop();
    throw error;
  }
  log.info({ processes: count, dataDir: config.dataDir }, "all processes are ready");
  return { stop };
}

/** The processes find database and keys in their environment, as if they were given. */
async function openDatabase(
  count: number,
  { config, log, onFatal }: { config: Config; log: Log; onFatal(reason: string): void },
  crew: Crew,
): Promise<() => Promise<void>> {
  if (config.databaseUrl) return async () => {};
  await openDataFolder(config.dataDir);
  const keys = config.encryptionKeys ?? (await generatedKeys(config.dataDir));
  const onExit = (detail: string) => onFatal(`the embedded PostgreSQL ended: ${detail}`);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit });
  crew.env = {
    DATABASE_URL: postgres.connectionString,
    BUSBAR_ENCRYPTION_KEYS: keys.map(({ id, secret }) => `${id}:${secret.toString("base64")}`).join(","),
    BUSBAR_DATABASE_CONNECTIONS: String(Math.max(5, Math.floor(EMBEDDED_CONNECTIONS / count))),
  };
  return () => postgres.stop();
}

function fork(crew: Crew): Worker {
  const worker = cluster.fork(crew.env);
  worker.once("exit", (code, signal) => {
    if (crew.stopping || !served.has(worker)) return;
    crew.log.error({ pid: worker.process.pid, code, signal }, "a process ended and is started again");
    setTimeout(() => void replace(crew, RESTART_MS), RESTART_MS);
  });
  return worker;
}

/** Tries for as long as others serve: what one cannot start without, such as the database, may be away for a while. */
async function replace(crew: Crew, pauseMs: number): Promise<void> {
  if (crew.stopping) return;
  try {
    await ready(fork(crew));
  } catch (error) {
    if (crew.stopping) return;
    if (!Object.values(cluster.workers ?? {}).some((worker) => worker && served.has(worker))) {
      return crew.onFatal(`no process is left, and none can be started: ${String(error)}`);
    }
    const againMs = Math.min(2 * pauseMs, MOST_RESTART_MS);
    crew.log.error({ reason: String(error), againMs }, "a process cannot be started again yet; others serve");
    setTimeout(() => void replace(crew, againMs), againMs);
  }
}

/** Processes that have served; one that never has said why it cannot, and trying again would not help. */
const served = new WeakSet<Worker>();

function ready(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("message", (message) => {
    if (message !== READY) return;
    served.add(worker);
    resolve();
  });
  worker.once("exit", () =>
    reject(new StartError("a process ended before it was ready; its own line says why")),
  );
  return promise;
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.process.kill("SIGTERM");
  await gone;
}
