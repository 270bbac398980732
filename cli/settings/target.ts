/** Decides which Busbar a command calls, with which key: options, environment, local server, last login. */
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Failure, UsageFailure } from "../failures.ts";
import { parseJson, getTextAt } from "../http/json.ts";
import type { Terminal } from "../terminal.ts";
import { findProfilesPath, readProfiles, type Profile } from "./profiles.ts";

export interface Target {
  /** Scheme, host and port of the management API. */
  origin: string;
  /** Undefined only for commands that need none. */
  apiKey?: string;
  /** Id or name, undefined if not configured. */
  project?: string;
  proxyUrl?: string;
  /** Source of the address and the key, if it is neither options nor environment; printed as a note. */
  found?: string;
  /** The last login, if the server of this folder takes precedence over it. */
  insteadOf?: string;
  /** The option, variable or file of each. */
  from: { address: string | undefined; apiKey: string | undefined };
}

/** Options of every command. */
export interface GlobalOptions {
  url?: string;
  key?: string;
  project?: string;
  json?: boolean;
  /** Print all columns of tables, uncut. */
  wide?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}

interface Stored extends Profile {
  origin: string;
  found: string;
  path: string;
  insteadOf?: string;
}

const MAX_BOOTSTRAP_BYTES = 64 * 1024;

/**
 * Sends a stored key only to the address that it was stored with, and AMP_API_KEY, which may be another vendor's, only to
 * an address that was given. Throws `UsageFailure` if address or key are missing.
 */
export async function findTarget(
  options: GlobalOptions,
  terminal: Pick<Terminal, "env" | "cwd">,
): Promise<Target> {
  const { env } = terminal;
  const given = findFirstGiven({
    "--url": options.url,
    BUSBAR_URL: env["BUSBAR_URL"],
    AMP_API_URL: env["AMP_API_URL"],
  });
  const origin = given.value ? readOrigin(given.value) : undefined;
  const givenKey = findFirstGiven({
    "--key": options.key,
    BUSBAR_API_KEY: env["BUSBAR_API_KEY"],
    AMP_API_KEY: origin && env["AMP_API_KEY"],
  });
  const stored = origin && givenKey.value ? undefined : await findStored(origin, terminal);
  const address = origin ?? stored?.origin;
  if (!address) {
    throw new UsageFailure("The address of the Busbar is missing, and you are not logged in.", {
      remedy: "Run `busbar login`, or set BUSBAR_URL and BUSBAR_API_KEY, or give --url and --key.",
    });
  }
  const apiKey = givenKey.value || stored?.apiKey;
  if (!apiKey) {
    throw new UsageFailure(`There is no API key for ${address}.`, {
      remedy: `Run \`busbar login ${address}\`, or set BUSBAR_API_KEY.`,
    });
  }
  const project = options.project ?? env["BUSBAR_PROJECT"] ?? env["AMP_PROJECT"] ?? stored?.project;
  const proxyUrl = env["BUSBAR_PROXY_URL"] ?? stored?.proxyUrl;
  return {
    origin: address,
    apiKey: checkKey(apiKey),
    ...(project && { project }),
    ...(proxyUrl && { proxyUrl }),
    ...(stored && { found: stored.found }),
    ...(stored?.insteadOf && { insteadOf: stored.insteadOf }),
    from: {
      address: (origin && given.name) ?? stored?.path,
      apiKey: (givenKey.value && givenKey.name) || stored?.path,
    },
  };
}

/** Returns the first value that is set, even if it is empty. */
function findFirstGiven(values: Record<string, string | undefined>): { name?: string; value?: string } {
  const [name, value] = Object.entries(values).find(([, text]) => text !== undefined) ?? [];
  return { ...(name !== undefined && { name }), ...(value !== undefined && { value }) };
}

/** Returns the server whose data folder is here, else the profile of the address, else the default profile. */
async function findStored(
  origin: string | undefined,
  terminal: Pick<Terminal, "env" | "cwd">,
): Promise<Stored | undefined> {
  const local = await readBootstrap(terminal);
  if (local && (!origin || local.origin === origin)) {
    // An unsafe file of logins does not matter here, because nothing in it is used.
    const current = await readProfiles(terminal.env).then(
      (known) => known.current,
      () => undefined,
    );
    const other = !origin && current !== undefined && current !== local.origin;
    return { ...local, ...(other && { insteadOf: `${current} (the last login)` }) };
  }
  const { current, all } = await readProfiles(terminal.env);
  const wanted = origin ?? current;
  const profile = wanted === undefined ? undefined : all.get(wanted);
  if (wanted === undefined || !profile) return undefined;
  return { ...profile, origin: wanted, found: `${wanted} (logged in)`, path: findProfilesPath(terminal.env) };
}

/**
 * Reads the server's bootstrap.json. The server makes that file readable by its owner only. A file that others can read came
 * from elsewhere, perhaps with a cloned repository, and must not decide where records go.
 */
async function readBootstrap({ cwd, env }: Pick<Terminal, "env" | "cwd">): Promise<Stored | undefined> {
  const shown = join(env["BUSBAR_DATA_DIR"] || ".busbar", "bootstrap.json");
  const path = resolve(cwd, shown);
  const found = await stat(path).catch(() => undefined);
  if (!found || (process.platform !== "win32" && (found.mode & 0o077) !== 0)) return undefined;
  const file = found.size > MAX_BOOTSTRAP_BYTES ? undefined : parseJson(await readFile(path, "utf8"));
  const [base, apiKey] = [getTextAt(file, "urls.base"), getTextAt(file, "apiKey")];
  if (!base || !apiKey || !URL.canParse(base)) throw new Failure(`${path} is damaged.`);
  const [project, proxyUrl] = [getTextAt(file, "projectId"), getTextAt(file, "urls.proxy")];
  const { origin } = new URL(base);
  const how = `${origin} (the server of this folder, ${shown})`;
  return { origin, apiKey, found: how, path, ...(project && { project }), ...(proxyUrl && { proxyUrl }) };
}

/** Returns the origin of an address, with or without scheme and `/v1`. Throws `UsageFailure`. */
export function readOrigin(address: string): string {
  const text = address.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? text
    : `${isLocal(text) ? "http" : "https"}://${text}`;
  // Node 20 has no URL.parse.
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new UsageFailure(`"${text}" is not an http or https address.`);
  }
  if (url.username || url.password) throw new UsageFailure("The address must not contain a key or password.");
  return url.origin;
}

const isLocal = (text: string): boolean => /^(localhost|127\.|\[::1\])/.test(text);

/** Throws for a key that cannot be sent in a header. The message does not contain the key. */
export function checkKey(key: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]{1,1024}$/.test(trimmed)) return trimmed;
  throw new UsageFailure(
    trimmed === "" ? "The API key is empty." : "The API key contains invalid characters.",
  );
}
