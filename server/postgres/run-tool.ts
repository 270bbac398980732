/** Runs one of PostgreSQL's programs to its end and returns its output. */
import { spawn } from "node:child_process";
import type { ServerUser } from "./server-user.ts";

interface ToolRun {
  program: string;
  args: string[];
  user: ServerUser;
  cwd?: string;
  input?: string;
}

interface ToolResult {
  /** Whether it exited with status 0. */
  ok: boolean;
  stdout: string;
  stderr: string;
}

/**
 * PostgreSQL's whole environment: our secrets, a PGDATA or a locale of this process must not reach it. The C locale also
 * prevents macOS from making the postmaster multithreaded.
 */
export const SERVER_ENV = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };

/** Never throws: if the program cannot be started, `stderr` of the result says why. */
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
