/** Runs Prometheus' own promtool, if the machine has one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

const PROGRAM = "/usr/bin/promtool";

/** For `skip`: why it is not installed here; false if it is. */
export const noPromtool: string | false = existsSync(PROGRAM) ? false : "promtool is not installed";

/** Returns what it printed. */
export async function runPromtool(args: string[], stdin = ""): Promise<{ code: number; printed: string }> {
  const child = spawn(PROGRAM, args, { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(stdin);
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: Number(code), printed: out + error };
}
