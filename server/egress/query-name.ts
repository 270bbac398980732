/** Finds the addresses of one host name without a thread: hosts file, then name servers. */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { normalizeHost } from "./address-guard.ts";

/** Timeout of the first of three tries at a server; later ones may take `LONGEST_TRY_MS`. */
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 1_500;
/** For all tries at all servers and all spellings of the name. */
const QUERY_MS = 4_000;

interface NameServers {
  /** `address:port` of each server. Default: those of the machine. */
  servers?: string[];
  withinMs?: number;
}
/** How long addresses of one family wait for those of the other: some name servers are silent about IPv6 only. */
const OTHER_FAMILY_MS = 250;

const HOSTS_FILE =
  process.platform === "win32" ? String.raw`C:\Windows\System32\drivers\etc\hosts` : "/etc/hosts";
const RESOLVER_FILE = "/etc/resolv.conf";

/**
 * Returns the addresses of a name, IPv4 first: at least one. Throws an error with the `code` of `node:dns`: ENOTFOUND, ENODATA, ETIMEOUT,
 * ESERVFAIL and others.
 */
export async function queryName(name: string, asked: NameServers = {}): Promise<LookupAddress[]> {
  const host = normalizeHost(name);
  // Systems take `0x7f.1` for an address, as URLs do.
  const plain = normalizeHost(URL.parse(`http://${host}/`)?.hostname ?? host);
  if (isIP(plain)) return [toAddress(plain)];
  const known = readHostsEntries(await readFile(HOSTS_FILE, "utf8").catch(() => ""), host);
  if (known.length > 0) return known;
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"].map(toAddress);
  const file = asked.servers ? "" : await readFile(RESOLVER_FILE, "utf8").catch(() => "");
  return queryServers(listSpellings(host, file), asked);
}

/** Asks the name servers through a resolver of its own, which knows the machine's present servers and can be given up alone. */
async function queryServers(
  names: string[],
  { servers, withinMs = QUERY_MS }: NameServers,
): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, maxTimeout: LONGEST_TRY_MS, tries: 3 });
  if (servers) resolver.setServers(servers);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    resolver.cancel();
  }, withinMs);
  try {
    let last: unknown;
    for (const name of names) {
      const found = await queryFamilies(resolver, name).catch((error: unknown) => error);
      if (Array.isArray(found)) return found;
      last = found;
      // Another spelling helps only if this one does not exist.
      if (isLate || !isAbsent(found)) break;
    }
    throw isLate ? Object.assign(new Error("its name server does not answer"), { code: "ETIMEOUT" }) : last;
  } finally {
    clearTimeout(timer);
    resolver.cancel();
  }
}

async function queryFamilies(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const asked = [resolver.resolve4(name), resolver.resolve6(name)];
  const first = await Promise.any(asked).catch((error: AggregateError) => error.errors);
  const found = first.filter((one): one is string => typeof one === "string");
  if (found.length === 0) throw first.find((error) => !isAbsent(error)) ?? first[0];
  const waiting = new Promise<string[]>((resolve) => void setTimeout(() => resolve([]), OTHER_FAMILY_MS));
  const lists = await Promise.all(asked.map((one) => Promise.race([one.catch(() => []), waiting])));
  return [...new Set([...lists.flat(), ...found])].map(toAddress).toSorted((a, b) => a.family - b.family);
}

/** Returns whether an error of `node:dns` says that there is no such name, or no address of it. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA");

const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) });

function readHostsEntries(file: string, host: string): LookupAddress[] {
  return file.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return isIP(address) && names.includes(host) ? [toAddress(address)] : [];
  });
}

/** Returns the names to ask for, in order: short ones are completed by the `search` list first (resolv.conf(5)). */
function listSpellings(host: string, resolverFile: string): string[] {
  if (host.endsWith(".")) return [host.slice(0, -1)];
  const lines = resolverFile.split("\n").map((line) => line.trim().split(/\s+/));
  const [, ...domains] = lines.findLast(([word]) => word === "search" || word === "domain") ?? [];
  const ndots = Number(/^\s*options\s.*\bndots:(\d+)/m.exec(resolverFile)?.[1] ?? 1);
  const completed = domains.slice(0, 6).map((domain) => `${host}.${domain.replace(/\.$/, "")}`);
  return host.split(".").length > ndots ? [host, ...completed] : [...completed, host];
}
