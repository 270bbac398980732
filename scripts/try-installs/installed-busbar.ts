/** Runs a Busbar that was installed into a folder, as its user starts it. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BootstrapFile } from "../../tests/harness/child-busbar.ts";
import { until } from "../../tests/harness/until.ts";

interface InstalledBusbar {
  bootstrap: BootstrapFile;
  /** Returns the exit code, and what it printed. */
  stop(): Promise<{ code: number | null; output: string }>;
}

const START_MS = 120_000;
const STOP_MS = 60_000;

/** Starts it on free ports, with the data folder `data` and the catalog `catalog.json` in `folder`; returns when it is ready. */
export async function startInstalled(
  folder: string,
  command: string[],
  env: Record<string, string> = {},
  cwd = folder,
): Promise<InstalledBusbar> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      BUSBAR_DATA_DIR: join(folder, "data"),
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
      BUSBAR_CATALOG: join(folder, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // npm and npx start it as a child of their own.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const group = -(child.pid ?? 0);
  const stop = async () => {
    if (child.exitCode === null) process.kill(group, "SIGTERM");
    const code = await exited;
    // npm ends before its child.
    await until(async () => !isAlive(group), STOP_MS);
    return { code, output };
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(output);
    return output.includes("Busbar is ready");
  }, START_MS).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const bootstrap = JSON.parse(await readFile(join(folder, "data/bootstrap.json"), "utf8"));
  return { bootstrap, stop };
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}
