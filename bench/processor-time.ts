/** Reads the CPU time of other processes from `/proc`. */
import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10;

interface Stat {
  pid: number;
  parent: number;
  program: string;
  ownTicks: number;
  /** CPU time of children that have ended. */
  endedTicks: number;
}

/** Returns the CPU time of these processes and all their children in milliseconds; 0 without `/proc`. */
export function readProcessorMs(...roots: (number | undefined)[]): number {
  let ticks = 0;
  for (const { pid, parent, ownTicks, endedTicks } of readAll()) {
    if (roots.includes(pid)) ticks += ownTicks + endedTicks;
    else if (roots.includes(parent)) ticks += ownTicks;
  }
  return ticks * TICK_MS;
}

/** Returns the first child process with this program name. */
export const findChildNamed = (program: string): number | undefined =>
  readAll().find((stat) => stat.parent === process.pid && stat.program === program)?.pid;

function readAll(): Stat[] {
  try {
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((entry) => readOne(Number(entry)) ?? []);
  } catch {
    return [];
  }
}

function readOne(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const program = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      pid,
      parent: Number(fields[1]),
      program,
      ownTicks: user + system,
      endedTicks: childUser + childSystem,
    };
  } catch {
    // The process ended after it was listed.
    return undefined;
  }
}
