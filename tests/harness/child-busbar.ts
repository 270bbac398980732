/** Runs Busbar as a separate process with an embedded database, which a test can stop and kill. */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { openClient, type Client } from "./client.ts";

/** The bundle that a whole run makes first, or the sources where a test file runs by itself. */
export const BUSBAR =
  process.env["BUSBAR_TEST_PROGRAM"] ?? join(import.meta.dirname, "../../server/busbar.mjs");
const PATIENCE_MS = 180_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface BootstrapFile {
  apiKey: string;
  projectId: string;
  orgId: string;
  urls: Record<"base" | "write" | "read" | "search" | "proxy" | "dashboard", string>;
}

export interface ChildBusbar extends Client {
  pid: number;
  file: BootstrapFile;
  /** Address of the management listener. */
  origin: string;
  exited: Promise<Exit>;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal to the whole process group. */
  signalGroup(signal: NodeJS.Signals): void;
}

interface HowToRun {
  /** Another version's. */
  program?: string;
  nodeFlags?: string[];
}

/** Runs `busbar <args>` with only these variables in its environment. */
export function runBusbar(
  args: string[],
  env: Record<string, string>,
  { program = BUSBAR, nodeFlags = [] }: HowToRun = {},
) {
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp", ...env },
    // Its own process group, as from a shell or a service manager.
    detached: true,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<Exit>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  return { child, exited, output: () => `${stdout}${stderr}` };
}

/** Starts Busbar on free ports and waits until it logs that it is ready. */
export async function startChildBusbar(
  dataDir: string,
  env: Record<string, string>,
  how?: HowToRun,
): Promise<ChildBusbar> {
  const own = { BUSBAR_DATA_DIR: dataDir, BUSBAR_PORT: "0", BUSBAR_PROXY_PORT: "0" };
  const started = runBusbar(["start"], { ...own, ...env }, how);
  const { child, exited, output } = started;
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${output()}`));
    const timer = setTimeout(() => fail("Busbar did not get ready"), PATIENCE_MS);
    const check = (): void => {
      if (!output().includes("Busbar is ready")) return;
      // Copying the whole log for each line of it would take more of the processor than what is measured.
      child.stdout.off("data", check);
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on("data", check);
    void exited.then(() => {
      clearTimeout(timer);
      fail("Busbar ended");
    });
  });
  const file: BootstrapFile = JSON.parse(await readFile(join(dataDir, "bootstrap.json"), "utf8"));
  const pid = child.pid ?? 0;
  return {
    ...openClient({ ...file, urls: () => file.urls, repeatsRefused: true }),
    pid,
    file,
    origin: new URL(file.urls.base).origin,
    exited,
    signal: (signal) => void process.kill(pid, signal),
    signalGroup: (signal) => void process.kill(-pid, signal),
  };
}

/** Stops a Busbar that a test left running, cleanly so that its database stops too, and removes its folder. */
export async function endChildBusbar(child: ChildBusbar | undefined, dataDir: string): Promise<void> {
  if (child && isAlive(child.pid)) {
    child.signal("SIGTERM");
    await child.exited;
  }
  await rm(dataDir, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
