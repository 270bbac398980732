/** A command's access to its machine: streams, environment, working folder, Ctrl-C. */
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

type Input = Readable & { isTTY?: boolean };
/** `columns` is the width of a terminal. */
export type Screen = Writable & { isTTY?: boolean; columns?: number };

export interface Terminal {
  stdin: Input;
  stdout: Screen;
  stderr: Screen;
  env: Record<string, string | undefined>;
  cwd: string;
  /** Returns a signal: after this call, Ctrl-C and SIGTERM abort it instead of ending the process. */
  catchInterrupt(): AbortSignal;
  /** Opens a page in a browser, if there is one. */
  openPage?(url: URL): void;
}

/** Returns the terminal of this process. */
export function openTerminal(): Terminal {
  // `busbar list … | head` closes the pipe early; that is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    catchInterrupt,
    openPage,
  };
}

/** Ignores errors, because the address is printed as well. */
function openPage({ href }: URL): void {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const [program, ...args] =
    process.platform === "win32"
      ? ["rundll32", "url.dll,FileProtocolHandler"]
      : [BROWSER || (process.platform === "darwin" ? "open" : "xdg-open")];
  const hasScreen = process.platform !== "linux" || BROWSER || DISPLAY || WAYLAND_DISPLAY;
  if (!hasScreen || !program) return;
  const child = spawn(program, [...args, href], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}

/** npm passes Ctrl-C on, so that it arrives twice: a second one within this time is the same. */
const SAME_SIGNAL_MS = 1_000;

function catchInterrupt(): AbortSignal {
  const controller = new AbortController();
  let impatient = false;
  const handle = () => {
    if (impatient) process.exit(130);
    controller.abort();
    setTimeout(() => (impatient = true), SAME_SIGNAL_MS).unref();
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  return controller.signal;
}
