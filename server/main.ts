/** Starts services, workers and listeners, and stops them in reverse order. */
import { setTimeout as wait } from "node:timers/promises";
import type { Bootstrap } from "./access/bootstrap.ts";
import type { BootstrapFile } from "./data-folder/data-folder.ts";
import { explainFullDisk } from "./data-folder/explain-full-disk.ts";
import { createFirstKey, keepBootstrapFile } from "./data-folder/create-first-key.ts";
import { VERSION } from "../ground/version.ts";
import { startAnnouncing } from "./jobs/announce-process.ts";
import { listen } from "./listeners.ts";
import type { OnAnswer } from "./http/server-options.ts";
import { watchSchema } from "./store/database/readiness.ts";
import { requireFreePorts } from "./require-free-ports.ts";
import { openServices, type Cleanup, type OpenOptions } from "./services.ts";
import { startWorkers, type Workers } from "./workers.ts";

export interface Busbar {
  urls: BootstrapFile["urls"];
  /** The key and ids of the first start; undefined if this data folder does not have them. */
  bootstrap: Bootstrap | undefined;
  /** Serves on for `BUSBAR_STOP_DELAY_SECONDS`, stops accepting requests, finishes those in progress (30 s at most), closes everything. May be called again. */
  stop(): Promise<void>;
}

interface StartOptions extends OpenOptions {
  /** For tests: called with every answer of the API. */
  onAnswer?: OnAnswer;
}

/** Starts Busbar. Throws `StartError` for what an operator must fix; then nothing is left running. */
export async function startBusbar(options: StartOptions): Promise<Busbar> {
  const closers: Cleanup = [];
  try {
    return await open(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw await explainFullDisk(options.config.dataDir, error);
  }
}

async function open(options: StartOptions, closers: Cleanup): Promise<Busbar> {
  const { config, log } = options;
  await requireFreePorts(config);
  const services = await openServices(options, closers);
  const bootstrap = await createFirstKey(config, services.database);
  const workers: Workers | undefined = config.roles.has("worker") ? startWorkers(services) : undefined;
  if (workers) {
    closers.push(async () => {
      await workers.finishPushes();
      await workers.stop();
    });
    watchSchema(services, () => {
      log.warn("a newer version of Busbar has migrated the database: background work ends here");
      workers.stop().catch((err: unknown) => log.error({ err }, "background work did not end cleanly"));
    });
  }
  // Before it listens: what it answers says whether there is a worker.
  const announced = await startAnnouncing(services, () => ({
    id: services.identity.id,
    version: VERSION,
    roles: [...config.roles].filter((role) => role !== "worker" || workers?.running),
    startTime: services.startTime,
  }));
  closers.push(() => announced.stop());
  services.shards.keepWorking(() => {
    // Whoever adds the shard waits until this process knows it.
    announced.announce();
    return async () => announced.announce();
  });
  let isStopping = false;
  const urls = await listen(
    services,
    { onAnswer: options.onAnswer, workers, isStopping: () => isStopping },
    closers,
  );
  await keepBootstrapFile(config, bootstrap, urls);
  log.info({ urls }, "Busbar is ready");
  const stop = async (): Promise<void> => {
    isStopping = true;
    // A load balancer notices only by its next check that this process stops.
    await wait(config.stopDelayMs);
    await closeAll(closers);
  };
  let stopped: Promise<void> | undefined;
  return { urls, bootstrap, stop: () => (stopped ??= stop()) };
}

async function closeAll(closers: Cleanup): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}
