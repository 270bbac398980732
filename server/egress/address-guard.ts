/** Decides which addresses may be connected to: public ones, and those that the operator allows. */
import type { LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";
import { EgressError } from "./egress-error.ts";

const PRIVATE_V4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
  "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** Public IPv6 is 2000::/3 except tunnels (Teredo, 6to4) and documentation. */
const PUBLIC_V6 = "2000::/3";
const PRIVATE_V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";
/** Where clouds serve their instances' credentials: refused whatever the operator allows. */
const METADATA =
  "169.254.0.0/16 100.100.100.200/32 192.0.0.192/32 fe80::/10 fd00:ec2::254/128 fd20:ce::254/128";

/** Judges the address, never the name. */
export class AddressGuard {
  readonly #private = buildBlockList(`${PRIVATE_V4} ${PRIVATE_V6}`);
  readonly #publicV6 = buildBlockList(PUBLIC_V6);
  readonly #metadata = buildBlockList(METADATA);
  readonly #allowed: BlockList;
  readonly #hosts: Set<string>;

  /** `allow`: host names, addresses and CIDRs that may be reached although they are private. */
  constructor(allow: string[]) {
    const isAddress = (entry: string) => isIP(entry.split("/")[0] ?? "") !== 0;
    this.#allowed = buildBlockList(allow.filter(isAddress).join(" "));
    this.#hosts = new Set(allow.filter((entry) => !isAddress(entry)));
  }

  /** Returns whether the operator listed this host name or address. */
  isListed(host: string): boolean {
    const bare = normalizeHost(host);
    return this.#hosts.has(bare) || (isIP(bare) !== 0 && listContains(this.#allowed, unmapAddress(bare)));
  }

  /** Returns whether this address may be connected to. `hostIsListed`: whether its host name is listed. */
  permits(address: string, hostIsListed: boolean): boolean {
    const bare = unmapAddress(address);
    // Allowing a translator's network does not allow the metadata addresses behind it.
    if ([bare, ...listTranslated(bare)].some((one) => listContains(this.#metadata, one))) return false;
    if (hostIsListed || listContains(this.#allowed, bare)) return true;
    if (isIP(bare) === 6 && !listContains(this.#publicV6, bare)) return false;
    return !listContains(this.#private, bare);
  }
}

/** Returns a host in lower case and without the brackets that URLs put around IPv6 addresses. */
export const normalizeHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1").toLowerCase();

/** Returns the error for a host that has only addresses that `permits` refuses. */
export function findForbiddenAddress(host: string, addresses: LookupAddress[] = []): EgressError {
  const where = addresses.map(({ address }) => address).join(", ");
  return new EgressError(
    "forbidden-address",
    false,
    `${host}${where ? ` (${where})` : ""} is a private address; list it in BUSBAR_EGRESS_ALLOW to reach it`,
  );
}

/** Returns the IPv4 address of a mapped one: `::ffff:10.0.0.1` is sent to 10.0.0.1, so it is judged as that. */
function unmapAddress(address: string): string {
  const bare = address.split("%")[0] ?? address;
  const url = isIP(bare) === 6 ? URL.parse(`http://[${bare}]/`) : null;
  const hex = url && /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(url.hostname);
  if (!hex) return bare;
  return toDotted(Number.parseInt(hex[1] ?? "", 16), Number.parseInt(hex[2] ?? "", 16));
}

/**
 * Returns the IPv4 addresses that an IPv6 one may lead to through a translator or tunnel: 6to4, NAT64 (RFC 6052, also with a prefix of 48
 * bits as in RFC 8215), SIIT, Teredo, ISATAP, and "compatible" ones.
 */
function listTranslated(address: string): string[] {
  const url = isIP(address) === 6 ? URL.parse(`http://[${address}]/`) : null;
  const words = url ? toWords(url.hostname) : [];
  const is = (...first: number[]) => first.every((word, index) => words[index] === word);
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] = words;
  const last = toDotted(seventh, eighth);
  if (is(0x2002)) return [toDotted(second, third)];
  if (is(0x2001, 0)) return [toDotted(seventh ^ 0xffff, eighth ^ 0xffff)];
  if (is(0x64, 0xff9b, 1)) return [last, toDotted(fourth, ((fifth & 255) << 8) | (sixth >> 8))];
  const isWithin = is(0x64, 0xff9b) || is(0, 0, 0, 0) || (sixth === 0x5efe && (fifth & 0xfdff) === 0);
  return isWithin ? [last] : [];
}

/** Returns the eight words of an address as URLs write it: in brackets, with `::` for the longest run of zeros. */
function toWords(host: string): number[] {
  const [head = [], tail = []] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter(Boolean));
  const known = [...head, ...tail];
  const zeros = Array.from({ length: 8 - known.length }, () => "0");
  return [...head, ...zeros, ...tail].map((word) => Number.parseInt(word, 16));
}

const toDotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

function buildBlockList(cidrs: string): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs.split(" ").filter(Boolean)) {
    const [address = "", bits] = cidr.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

const listContains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
