/** Starts everything for the tour: the sandbox CRMs, a webhook receiver, and Busbar with an embedded database. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import type { Bootstrap } from "../server/access/bootstrap.ts";
import { readConfig } from "../ground/config.ts";
import { StartError } from "../ground/errors.ts";
import { createLog } from "../ground/log.ts";
import { startBusbar, type Busbar } from "../server/main.ts";
import { buildDemoEnvironment, type DemoSettings } from "./demo-settings.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

export interface Demo {
  urls: Busbar["urls"];
  bootstrap: Bootstrap;
  sandboxUrl: string;
  receiver: Receiver;
  logPath: string;
  stop(): Promise<void>;
}

/** Throws `StartError`; then nothing is left running. Calls `onFatal` if Busbar cannot continue. */
export async function startDemo(settings: DemoSettings, onFatal: (reason: string) => void): Promise<Demo> {
  const sandbox = await startSandbox({ port: settings.sandboxPort });
  const receiver = await startReceiver(settings.receiverPort);
  try {
    return await startWith(sandbox, receiver, settings, onFatal);
  } catch (error) {
    await Promise.all([sandbox.close(), receiver.close()]);
    throw error;
  }
}

async function startWith(
  sandbox: Sandbox,
  receiver: Receiver,
  settings: DemoSettings,
  onFatal: (reason: string) => void,
): Promise<Demo> {
  const { dataDir } = settings;
  const catalogPath = join(dataDir, "sandbox-catalog.json");
  await writeFile(catalogPath, JSON.stringify(sandbox.catalog(), null, 2));
  const config = readConfig(buildDemoEnvironment(settings, catalogPath));
  // The terminal shows the tour; the log of all runs is in the data folder.
  const logPath = join(dataDir, "busbar.log");
  const busbar = await startBusbar({ config, log: createLog(config.logLevel, logPath), onFatal });
  const { bootstrap } = busbar;
  const stop = async () => {
    await busbar.stop();
    await Promise.all([sandbox.close(), receiver.close()]);
  };
  if (bootstrap) return { urls: busbar.urls, bootstrap, sandboxUrl: sandbox.url, receiver, logPath, stop };
  await busbar.stop();
  throw new StartError(`${dataDir} has no bootstrap.json any more; delete the folder to start over`);
}
