/** Reads a manifest from a file, a folder with an amp.yaml, or stdin (`-`). */
import { open, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Failure } from "../failures.ts";
import { readBody } from "../http/send.ts";
import type { Terminal } from "../terminal.ts";

export interface ManifestFile {
  /** The name for messages, as the user gave it. */
  shown: string;
  source: string;
}

/** A manifest may have 256 KiB, which the check enforces; this only bounds memory. */
const MAX_BYTES = 1024 * 1024;
const NAMES = ["amp.yaml", "amp.yml"];

/** Throws `Failure` if there is no file or it is not text. */
export async function readManifest(
  path: string,
  { cwd, stdin }: Pick<Terminal, "cwd" | "stdin">,
): Promise<ManifestFile> {
  if (path === "-") return { shown: "stdin", source: decode(await readBody(stdin, MAX_BYTES), "stdin") };
  const shown = await findFile(path, cwd);
  return { shown, source: decode(await readBounded(resolve(cwd, shown), shown), shown) };
}

async function findFile(path: string, cwd: string): Promise<string> {
  const found = await stat(resolve(cwd, path)).catch(() => undefined);
  if (!found) throw new Failure(`There is no file or folder ${path}.`, { remedy: START });
  if (!found.isDirectory()) return path;
  for (const name of NAMES) {
    if (await stat(resolve(cwd, path, name)).catch(() => undefined)) return join(path, name);
  }
  throw new Failure(`There is no ${NAMES.join(" or ")} in ${path === "." ? "this folder" : path}.`, {
    remedy: START,
  });
}

const START = "Start one with `busbar init`.";

async function readBounded(path: string, shown: string): Promise<Buffer> {
  const file = await open(path).catch((cause: unknown) => {
    throw new Failure(`${shown} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      cause,
    });
  });
  try {
    return await readBody(file.createReadStream({ autoClose: false, end: MAX_BYTES }), MAX_BYTES);
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure(`${shown} is not UTF-8 text.`, { cause });
  }
}
