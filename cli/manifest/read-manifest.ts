/** Reads a manifest from a file, a folder with an amp.yaml, or stdin (`-`). */
import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FindPosition } from "../../manifest/finding.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { Failure } from "../failures.ts";
import type { Json } from "../http/json.ts";
import { readBody } from "../http/send.ts";
import type { Terminal } from "../terminal.ts";

export interface ManifestFile {
  /** The name for messages, as the user gave it. */
  shown: string;
  source: string;
  /** Custom providers in the folder `providers` beside the manifest, by key. */
  providers?: Record<string, ProviderFile>;
}

export interface ProviderFile {
  shown: string;
  source: string;
  data: Json;
  findPosition: FindPosition;
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
  const source = decode(await readBounded(resolve(cwd, shown), shown), shown);
  if (shown === path) return { shown, source };
  const providers = await readProviders(join(path, "providers"), cwd);
  return { shown, source, ...(Object.keys(providers).length > 0 && { providers }) };
}

/** Reads `<key>.yaml` and `<key>.json`; empty without the folder. Throws `Failure` for two files of one key. */
async function readProviders(folder: string, cwd: string): Promise<Record<string, ProviderFile>> {
  const files = new Map<string, ProviderFile>();
  for (const name of (await listFiles(folder, cwd)).toSorted()) {
    const key = /^(.+)\.(ya?ml|json)$/.exec(name)?.[1];
    if (key === undefined) continue;
    if (files.has(key)) throw new Failure(`${folder} has two files of ${key}. Keep one of them.`);
    files.set(key, await readProviderFile(join(folder, name), cwd));
  }
  return Object.fromEntries(files);
}

const listFiles = (folder: string, cwd: string): Promise<string[]> =>
  readdir(resolve(cwd, folder)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw new Failure(`${folder} cannot be read: ${cause.message}.`, { cause });
  });

/** Reads a document of YAML or JSON. Throws `Failure` with the place of a fault. */
export const readDocument = async (path: string, cwd: string): Promise<Json> =>
  (await readProviderFile(path, cwd)).data;

async function readProviderFile(path: string, cwd: string): Promise<ProviderFile> {
  const source = decode(await readBounded(resolve(cwd, path), path), path);
  const { document, findings } = parseManifest(source);
  const [fault] = findings;
  if (fault) throw new Failure(`${path}:${fault.line}: ${fault.message}`, { remedy: fault.remedy });
  const findPosition = document?.findPosition ?? (() => ({ line: 1, column: 1 }));
  return { shown: path, source, data: document?.data ?? null, findPosition };
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
