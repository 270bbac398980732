/** A shell in a real terminal, to type into and to read from as a person does: by the `script` of util-linux. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** Why there is no terminal to be had here; undefined where there is. */
export function whyNoTerminal(): string | undefined {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return /util-linux/.test(stdout ?? "") ? undefined : "there is no `script` of util-linux on this machine";
}

export interface PseudoTerminal {
  /** Keys as they are pressed; `\r` is Enter, `\u0003` Ctrl-C. */
  press(keys: string): void;
  /** Waits for something to appear behind what was seen last, and passes it. Colours are taken out. */
  see(pattern: RegExp): Promise<RegExpExecArray>;
  /** Everything so far, as it came. */
  transcript(): string;
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/** A bash whose prompt is `ready> `. */
export async function openPseudoTerminal(options: {
  cwd: string;
  env: Record<string, string>;
}): Promise<PseudoTerminal> {
  // Without a terminal of its own `script` would take the echo from ours.
  const shell = [
    "--quiet",
    "--flush",
    "--echo",
    "always",
    "--command",
    "bash --noprofile --norc -i",
    "/dev/null",
  ];
  const child = spawn("script", shell, {
    cwd: options.cwd,
    env: { TERM: "xterm", PS1: "ready> ", ...options.env },
  });
  let raw = "";
  let seen = 0;
  const heard = new EventTarget();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      raw += chunk.toString();
      heard.dispatchEvent(new Event("data"));
    });
  }
  const exited = once(child, "close");
  const terminal: PseudoTerminal = {
    press: (keys) => void child.stdin.write(keys),
    transcript: () => raw,
    async see(pattern) {
      const end = AbortSignal.timeout(PATIENCE_MS);
      for (;;) {
        const text = stripVTControlCharacters(raw).replaceAll("\r", "").slice(seen);
        const found = pattern.exec(text);
        if (found) {
          seen += found.index + found[0].length;
          return found;
        }
        if (end.aborted) throw new Error(`${pattern.source} did not appear; there is:\n${text}`);
        await once(heard, "data", { signal: end }).catch(() => undefined);
      }
    },
    async close() {
      child.stdin.end();
      child.kill("SIGHUP");
      await exited;
    },
  };
  await terminal.see(/ready> $/);
  return terminal;
}
