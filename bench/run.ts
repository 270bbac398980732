/**
 * Runs all benchmarks, one after the other. Between them it measures how much of the machine other programs use: on a busy one the
 * figures do not count, and a benchmark that ran out of time is reported as not measured instead of as failed.
 *
 *     npm run bench [-- --quick]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const BENCHMARKS = ["proxy", "write", "deliver", "read", "subscribe", "agents"];
const CHECK_MS = 2_000;
/** Ratios of neighbouring rounds bear what is below this share of all processors. */
const MAX_OTHERS = 0.15;

const failed: string[] = [];
const busy: string[] = [];
let before = await measureOthers();
for (const name of BENCHMARKS) {
  console.log(`\n=== ${name}${before > MAX_OTHERS ? `: ${describe(before)}` : ""}`);
  const ended = await run(name);
  const after = await measureOthers();
  const others = Math.max(before, after);
  before = after;
  if (others > MAX_OTHERS) busy.push(`${name}: ${describe(others)}${ended ? "" : "; it did not end"}`);
  else if (!ended) failed.push(name);
}
if (busy.length > 0) console.log(`\nThe machine was busy; repeat when it is quiet:\n  ${busy.join("\n  ")}`);
if (failed.length > 0) {
  console.log(`\nFailed on a quiet machine: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** Returns whether the benchmark measured all its parts. */
async function run(name: string): Promise<boolean> {
  const file = join(import.meta.dirname, name, "run.ts");
  const child = spawn(process.execPath, [file, ...process.argv.slice(2)], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0;
}

/** Returns the share of all processors that is in use while no benchmark runs. */
async function measureOthers(): Promise<number> {
  const from = readTimes();
  await wait(CHECK_MS);
  const to = readTimes();
  return 1 - (to.idle - from.idle) / (to.all - from.all);
}

function readTimes(): { idle: number; all: number } {
  const times = cpus().map((one) => one.times);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
}

function describe(share: number): string {
  return `other programs use ${Math.round(share * 100)} % of the processors, so its figures do not count`;
}
