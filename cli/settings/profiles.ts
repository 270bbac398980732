/** Stores addresses and API keys of `busbar login` in one file that only its owner can read. */
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Failure } from "../failures.ts";
import { isObject, parseJson, getTextAt, getValueAt } from "../http/json.ts";
import type { Terminal } from "../terminal.ts";

export interface Profile {
  apiKey: string;
  project?: string;
  proxyUrl?: string;
}

interface Profiles {
  /** Origin of the default one. */
  current?: string;
  /** Profiles by origin. */
  all: Map<string, Profile>;
}

/** Returns the path of the file. XDG_CONFIG_HOME must be absolute, as its specification says. */
export function findProfilesPath(env: Terminal["env"]): string {
  const configured = env["XDG_CONFIG_HOME"];
  const home = env["HOME"] || homedir();
  const base = configured && isAbsolute(configured) ? configured : join(home, ".config");
  return join(base, "busbar", "profiles.json");
}

const MAX_BYTES = 1024 * 1024;

/** Returns no profiles if there is no file. Throws if other users can read the file, or if it is damaged. */
export async function readProfiles(env: Terminal["env"]): Promise<Profiles> {
  const path = findProfilesPath(env);
  const none: Profiles = { all: new Map() };
  const found = await stat(path).catch(() => undefined);
  if (!found) return none;
  if ((found.mode & 0o077) !== 0 && process.platform !== "win32") {
    throw new Failure(`${path} contains API keys and can be read by other users.`, {
      remedy: `Run: chmod 600 ${path}. Replace the keys if somebody may have read them.`,
    });
  }
  const data = found.size > MAX_BYTES ? undefined : parseJson(await readFile(path, "utf8"));
  const stored = getValueAt(data, "profiles");
  if (!isObject(stored)) throw new Failure(`${path} is damaged.`, { remedy: "Delete it and log in again." });
  const all = new Map<string, Profile>();
  for (const [origin, profile] of Object.entries(stored)) {
    const apiKey = getTextAt(profile, "apiKey");
    if (apiKey === undefined) continue;
    const [project, proxyUrl] = [getTextAt(profile, "project"), getTextAt(profile, "proxyUrl")];
    all.set(origin, {
      apiKey,
      ...(project !== undefined && { project }),
      ...(proxyUrl !== undefined && { proxyUrl }),
    });
  }
  const current = getTextAt(data, "current");
  return { all, ...(current !== undefined && all.has(current) && { current }) };
}

/** Writes the file atomically and returns its path; without profiles deletes it. */
export async function writeProfiles(env: Terminal["env"], { current, all }: Profiles): Promise<string> {
  const path = findProfilesPath(env);
  try {
    if (all.size === 0) await rm(path, { force: true });
    else await writeWhole(path, JSON.stringify({ current, profiles: Object.fromEntries(all) }, null, 2));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`${path} cannot be written: ${why}.`, { cause });
  }
  return path;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await chmod(dirname(path), 0o700);
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, path);
}
