/** Runs a shell in a real terminal (by `script` of util-linux), in which a test types and reads. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** Returns why there is no terminal here; undefined if there is one. */
export function whyNoTerminal(): string | undefined {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return /util-linux/.test(stdout ?? "") ? undefined : "there is no `script` of util-linux on this machine";
}

export interface PseudoTerminal {
  /** Types keys; `\r` is Enter, `\u0003` Ctrl-C. */
  press(keys: string): void;
  /** Waits until the text after the last match matches. Colours are removed. */
  see(pattern: RegExp): Promise<RegExpExecArray>;
  /** The whole output so far, unchanged. */
  transcript(): string;
  close(): Promise<void>;
}

const PATIENCE_MS = 180_000;

/** Starts bash with the prompt `ready> `. */
export async function openPseudoTerminal(options: {
  cwd: string;
  env: Record<string, string>;
}): Promise<PseudoTerminal> {
  // Without its own terminal, `script` would disable the echo of ours.
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
