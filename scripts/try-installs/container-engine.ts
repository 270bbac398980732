/** Calls a container engine, such as `docker`, or `podman --root /srv/images` with options of its own. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

type Engine = (...args: string[]) => Promise<string>;

/** Returns a function that runs the engine, and returns what it printed. */
export function createContainerEngine(command: string, cwd?: string): Engine {
  const [program = "", ...before] = command.split(" ");
  return async (...args) => {
    const options = { cwd, maxBuffer: 16 * 1024 * 1024 };
    const { stdout, stderr } = await promisify(execFile)(program, [...before, ...args], options);
    return args[0] === "logs" ? stdout + stderr : stdout;
  };
}
