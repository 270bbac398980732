/** Starts the proxies under test and the provider, and reads their CPU time from /proc. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasNginx, startNginx } from "./contenders/nginx.ts";

export interface Runner {
  name: string;
  port: number;
  pid: number;
  /** Additional header lines that this proxy needs. */
  lines: string[];
  process: ChildProcess | undefined;
}

/** Describes a Node process of the benchmark. */
interface Program {
  name: string;
  /** Below this folder. */
  file: string;
  args?: string[];
  env?: Record<string, string>;
  /** Cores it may use, in the syntax of taskset; undefined: all. */
  cores?: string;
}

export const PINS = spawnSync("taskset", ["-V"]).status === 0;
const onCores = (cores = "0-1"): string[] => (PINS ? ["taskset", "-c", cores] : []);

/** Moves this process, the load generator. */
export function moveTo(cores: string): void {
  if (PINS) spawnSync("taskset", ["-apc", cores, String(process.pid)]);
}

/** Starts a process and waits for its address. */
export async function startNode({ name, file, args = [], env = {}, cores }: Program): Promise<Runner> {
  const profile =
    process.env["BENCH_PROFILE"] === name ? ["--cpu-prof", "--cpu-prof-dir=/tmp/busbar-profile"] : [];
  const path = join(import.meta.dirname, file);
  const [command = "", ...rest] = [...onCores(cores), process.execPath, ...profile, path, ...args];
  const child = spawn(command, rest, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
  const reported = await new Promise<{ port: number; lines?: string[] }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { port: number; lines?: string[] }));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
  });
  return { name, port: reported.port, pid: child.pid ?? 0, lines: reported.lines ?? [], process: child };
}

/** Returns undefined and prints a note if it is not installed. */
export async function startNginxRunner(
  origin: string,
  more: { name?: string; processes?: number; cores?: string } = {},
): Promise<Runner | undefined> {
  const { name = "nginx", processes = 1, cores } = more;
  if (!hasNginx()) {
    console.log("nginx is not installed: skipped");
    return undefined;
  }
  const { port, process: child } = await startNginx(origin, processes, onCores(cores));
  return { name, port, pid: child.pid ?? 0, lines: [], process: child };
}

/** Disconnects Node processes, which then write their profile and exit. */
export async function stopAll(runners: Runner[]): Promise<void> {
  const gone = runners.map(({ process: child }) => {
    if (!child || child.exitCode !== null) return undefined;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    if (child.connected) child.disconnect();
    else child.kill();
    return exited;
  });
  await Promise.all(gone);
}

/** Returns user and system time of a process and of each child, in hundredths of a second. */
export function readCpuMicros(pid: number): number[] {
  const processes = [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean)];
  return processes.map((each) => {
    const fields = read(`/proc/${each}/stat`).split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10_000;
  });
}

/** Returns an empty text if the file does not exist: the process has ended, or this is not Linux. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
