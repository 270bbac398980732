/** Reads and writes the files of the data folder beside the embedded database: encryption keys and bootstrap.json. */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bootstrap } from "../access/bootstrap.ts";
import { parseEncryptionKeys } from "../../ground/server-settings.ts";
import { StartError } from "../../ground/errors.ts";
import type { EncryptionKey } from "../../ground/seal.ts";

export interface BootstrapFile extends Bootstrap {
  urls: { base: string; write: string; read: string; search: string; proxy: string; dashboard: string };
}

/** Creates the folder, readable by its owner only. */
export async function openDataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await chmod(path, 0o700);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && ["EEXIST", "ENOTDIR"].includes(String(cause.code)))
      throw new StartError(`BUSBAR_DATA_DIR: ${path} is a file, or lies in one; name a folder.`, { cause });
    const isOthers = cause instanceof Error && "code" in cause && cause.code === "EPERM";
    const remedy = isOthers ? `; it belongs to another user, so name a folder below it: ${path}/busbar` : "";
    throw new StartError(`BUSBAR_DATA_DIR: cannot create or protect ${path}: ${String(cause)}${remedy}`, {
      cause,
    });
  }
}

/** Creates missing folders one by one: Node's recursive `mkdir` never ends below /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** Returns the encryption keys of this folder; generates them at the first call. */
export async function readOrGenerateKeys(dataDir: string): Promise<EncryptionKey[]> {
  const path = join(dataDir, "encryption-keys");
  const known = await readIfThere(path);
  if (known !== undefined) return parseEncryptionKeys(known.trim(), path);
  const text = `k1:${randomBytes(32).toString("base64")}`;
  await writeWhole(path, `${text}\n`);
  return parseEncryptionKeys(text);
}

/**
 * Returns the key that an interrupted first start stored in the database but not yet in bootstrap.json, if there is one.
 * Otherwise stores and returns `candidate`.
 */
export async function rememberBootstrapKey(dataDir: string, candidate: string): Promise<string> {
  const path = join(dataDir, "bootstrap-key");
  const pending = await readIfThere(path);
  if (pending) return pending.trim();
  await writeWhole(path, candidate);
  return candidate;
}

/** Removes the key that another process, or an earlier start, made unnecessary. */
export const forgetBootstrapKey = (dataDir: string): Promise<void> =>
  rm(join(dataDir, "bootstrap-key"), { force: true });

export async function readBootstrapFile(dataDir: string): Promise<BootstrapFile | undefined> {
  const text = await readIfThere(join(dataDir, "bootstrap.json"));
  // Our own file; if it was edited and is not JSON, the error names its path.
  return text === undefined ? undefined : (JSON.parse(text) as BootstrapFile);
}

export async function writeBootstrapFile(dataDir: string, content: BootstrapFile): Promise<void> {
  await writeWhole(join(dataDir, "bootstrap.json"), `${JSON.stringify(content, null, 2)}\n`);
  await forgetBootstrapKey(dataDir);
}

/** Writes the file atomically, so that neither a reader nor a start after a crash sees half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, path);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new StartError(`cannot read ${path}: ${String(error)}`, { cause: error });
  }
}
