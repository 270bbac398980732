/** Runs one of PostgreSQL's programs to its end and returns what it said. */
import { spawn } from "node:child_process";
import type { ServerUser } from "./server-user.ts";

export interface ToolRun {
  program: string;
  args: string[];
  user: ServerUser;
  cwd?: string;
  input?: string;
}

export interface ToolResult {
  /** Ended by itself with status 0. */
  ok: boolean;
  stdout: string;
  stderr: string;
}

/**
 * PostgreSQL's whole environment, so that neither our secrets nor somebody's PGDATA or locale reach it. The C locale
 * also keeps macOS from making the postmaster multithreaded.
 */
export const SERVER_ENV = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };

/** Never throws: a program that cannot be started is a failed run whose `stderr` says why. */
export function runTool({ program, args, user, cwd = "/", input = "" }: ToolRun): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...user, cwd, env: SERVER_ENV, stdio: "pipe" });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", (error) => resolve({ ok: false, stdout, stderr: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, stdout, stderr: stderr.trim() }));
    child.stdin.on("error", () => {}); // It ended without reading; its status tells.
    child.stdin.end(input);
  });
}
