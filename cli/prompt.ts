/** Asks the user on a terminal; questions go to stderr, so that stdout contains only results. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Ended, UsageFailure } from "./failures.ts";
import type { Terminal } from "./terminal.ts";

type Asking = Pick<Terminal, "stdin" | "stderr">;

export const canAsk = ({ stdin, stderr }: Asking): boolean => stdin.isTTY === true && stderr.isTTY === true;

/** Returns the answer, trimmed, or `otherwise` if it is empty. */
export async function ask(terminal: Asking, question: string, otherwise = ""): Promise<string> {
  const shown = otherwise ? `${question} [${otherwise}]: ` : `${question}: `;
  return (await read(terminal, terminal.stderr, shown)) || otherwise;
}

/** Returns the answer without showing it. */
export async function askHidden(terminal: Asking, question: string): Promise<string> {
  // Raw mode disables the terminal's echo; this disables that of the line editor.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Prints the question after the echo is off; otherwise the beginning of a pasted answer would be visible.
  const answer = read(terminal, nowhere, "", () => terminal.stderr.write(`${question}: `));
  return answer.finally(() => terminal.stderr.write("\n"));
}

/** Asks until the answer begins with one of the letters, and returns that letter. */
export async function choose(terminal: Asking, question: string, letters: string): Promise<string> {
  for (;;) {
    const answer = (await ask(terminal, `${question} [${letters.split("").join("/")}]`)).toLowerCase();
    const letter = answer.slice(0, 1);
    if (letter && letters.includes(letter)) return letter;
  }
}

async function read(
  terminal: Asking,
  output: Writable,
  question: string,
  onReady: () => void = () => {},
): Promise<string> {
  if (!canAsk(terminal)) {
    throw new UsageFailure("Options are missing, and there is no terminal to ask for them.", {
      remedy: "--help lists the options.",
    });
  }
  const lines = createInterface({ input: terminal.stdin, output, terminal: true, historySize: 0 });
  // Ctrl-C and the end of input end the command.
  const gone = new AbortController();
  lines.once("SIGINT", () => gone.abort());
  lines.once("close", () => gone.abort());
  onReady();
  try {
    return (await lines.question(question, { signal: gone.signal })).trim();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    output.write("\n");
    throw new Ended();
  } finally {
    lines.close();
  }
}
