/** Runs the command line inside the test's process, with its own streams and environment. */
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { runCommand } from "../../cli/run.ts";
import type { Terminal } from "../../cli/terminal.ts";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  env?: Terminal["env"];
  cwd?: string;
  stdin?: string;
  /** What a person types at a terminal, a line for each question. */
  typed?: string[];
  /** Ctrl-C. */
  interrupted?: AbortSignal;
  /** Called with each printed text. */
  onOutput?(text: string): void;
}

/** Runs a command. The home folder does not exist, so there is no login unless the test creates one. */
export async function runCli(args: string[], surroundings: Surroundings = {}): Promise<Ran> {
  const { env = {}, cwd = "/nonexistent", stdin = "", typed, interrupted, onOutput } = surroundings;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = { stdout: "", stderr: "" };
  for (const [name, stream] of [
    ["stdout", stdout],
    ["stderr", stderr],
  ] as const) {
    stream.on("data", (chunk: Buffer) => {
      printed[name] += chunk.toString();
      onOutput?.(chunk.toString());
    });
  }
  const keyboard = new PassThrough();
  const answers = [...(typed ?? [])];
  // A question is a text without the end of its line.
  stderr.on("data", (chunk: Buffer) => {
    if (typed && chunk.toString().endsWith("]: ")) keyboard.write(`${answers.shift() ?? ""}\r`);
  });
  const isTTY = typed !== undefined;
  const code = await runCommand(args, {
    stdin: isTTY ? Object.assign(keyboard, { isTTY }) : Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr: Object.assign(stderr, { isTTY }),
    env: { HOME: "/nonexistent", ...env },
    cwd,
    catchInterrupt: () => interrupted ?? new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  await Promise.all([once(stdout, "end"), once(stderr, "end")]);
  return { code, ...printed };
}
