/** The one door through which every outgoing connection leaves: checks the address, bounds time and size. */
import { BlockList, isIP, type LookupFunction } from "node:net";
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Agent, buildConnector, type Dispatcher } from "undici";

export type EgressFailure =
  /** The address is private and nobody allowed it. */
  | "forbidden-address"
  /** No connection was made: nothing was sent. */
  | "not-connected"
  /** The connection broke after the request had begun to leave. */
  | "broken"
  | "timeout"
  | "too-large";

export class EgressError extends Error {
  override name = "EgressError";
  readonly failure: EgressFailure;
  /** Whether any of the request may have reached the other side. */
  readonly sent: boolean;

  constructor(failure: EgressFailure, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
    this.sent = sent;
  }
}

export interface EgressRequest {
  /** Absolute http(s) address. */
  url: URL;
  method: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For the answer to begin, and between two pieces of it. */
  timeoutMs?: number;
  /** For the whole exchange, however lively the other side is. */
  wholeMs?: number;
  /** Largest body read; a longer one is an error, never cut silently. */
  maxBytes?: number;
}

export interface EgressResponse {
  status: number;
  /** Names in lower case; several values of one name joined by `, `. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Egress {
  /** One whole exchange, for callers that read the answer. Redirects are not followed. Throws `EgressError`. */
  send(request: EgressRequest): Promise<EgressResponse>;
  /** The guarded dispatcher, for the proxy, which streams. */
  readonly dispatcher: Dispatcher;
  /**
   * For clients that open sockets of their own to a host: finds only addresses that may be connected to. Throws
   * `EgressError` for an address that may not, because an address is never looked up.
   */
  guardedLookup(host: string): LookupFunction;
  /** Whether plain http may be spoken to this host name or address. */
  allowsPlainHttp(host: string): boolean;
  /** False for a private address and for `localhost` unless allowed. Other names are judged when they are looked up. */
  mayReach(host: string): boolean;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 60_000;
/** A byte now and then must not hold anybody for ever; the largest answer that is read takes a slow line half as long. */
const DEFAULT_WHOLE_MS = 5 * 60_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** Providers with many cookies and policies in an answer's head come near Node's 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** `allow` lists hosts and CIDRs that may be reached although they are private (`BUSBAR_EGRESS_ALLOW`). */
export function openEgress(allow: string[]): Egress {
  const guard = new AddressGuard(allow);
  const dispatcher = new Agent({
    connect: guardedConnector(guard),
    headersTimeout: DEFAULT_TIMEOUT_MS,
    bodyTimeout: DEFAULT_TIMEOUT_MS,
    keepAliveTimeout: 10_000,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
  });
  return {
    dispatcher,
    send: (request) => send(dispatcher, request),
    guardedLookup(host) {
      const bare = bareHost(host);
      const allowPrivate = guard.isListed(bare);
      if (isIP(bare) && !guard.permits(bare, allowPrivate)) throw forbidden(bare);
      return lookupFor(guard, allowPrivate);
    },
    allowsPlainHttp: (host) => guard.isListed(host),
    mayReach(host) {
      const bare = bareHost(host);
      const addresses = isIP(bare) ? [bare] : bare === "localhost" ? ["127.0.0.1", "::1"] : [];
      const isListed = guard.isListed(bare);
      return addresses.length === 0 || addresses.some((address) => guard.permits(address, isListed));
    },
    close: () => dispatcher.destroy(),
  };
}

function guardedConnector(guard: AddressGuard): buildConnector.connector {
  const connectTo = (allowPrivate: boolean) =>
    buildConnector({
      // HTTP/2 would change the spelling and order of headers, which the proxy passes on as they are.
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      lookup: lookupFor(guard, allowPrivate),
    });
  const strict = connectTo(false);
  const listed = connectTo(true);
  return (options, callback) => {
    const host = bareHost(options.hostname);
    const allowPrivate = guard.isListed(host);
    // A literal address is never looked up, so it is checked here.
    if (isIP(host) && !guard.permits(host, allowPrivate)) return callback(forbidden(host), null);
    return (allowPrivate ? listed : strict)(options, callback);
  };
}

const lookupFor =
  (guard: AddressGuard, allowPrivate: boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookupOnce(hostname, options, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const open = addresses.filter(({ address }) => guard.permits(address, allowPrivate));
      const [first] = open;
      if (!first) return callback(forbidden(hostname, addresses), "", 0);
      if (options.all) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

const lookups = new Map<string, Found[]>();

/**
 * Who looks for a name that is being looked for shares the answer: each lookup holds one of very few threads until the
 * name server answers or is given up, and a single name with many calls waiting would stop all others.
 */
function lookupOnce(hostname: string, options: LookupOptions, found: Found): void {
  const key = JSON.stringify([hostname, options.family, options.hints, options.order, options.verbatim]);
  const waiting = lookups.get(key);
  if (waiting) return void waiting.push(found);
  const all = [found];
  lookups.set(key, all);
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    lookups.delete(key);
    for (const tell of all) tell(error, addresses);
  });
}

const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1").toLowerCase();

function forbidden(host: string, addresses: LookupAddress[] = []): EgressError {
  const where = addresses.map(({ address }) => address).join(", ");
  return new EgressError(
    "forbidden-address",
    false,
    `${host}${where ? ` (${where})` : ""} is a private address; list it in BUSBAR_EGRESS_ALLOW to reach it`,
  );
}

const PRIVATE_V4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
  "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** Public IPv6 is 2000::/3 less what tunnels to somewhere else (Teredo, 6to4) and documentation. */
const PUBLIC_V6 = "2000::/3";
const PRIVATE_V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";
/** Where clouds serve their instances' credentials: refused whatever the operator allows. */
const METADATA =
  "169.254.0.0/16 100.100.100.200/32 192.0.0.192/32 fe80::/10 fd00:ec2::254/128 fd20:ce::254/128";

/** Decides which addresses may be connected to. Judges the address, never the name. */
class AddressGuard {
  readonly #private = blockList(`${PRIVATE_V4} ${PRIVATE_V6}`);
  readonly #publicV6 = blockList(PUBLIC_V6);
  readonly #metadata = blockList(METADATA);
  readonly #allowed: BlockList;
  readonly #hosts: Set<string>;

  constructor(allow: string[]) {
    const isAddress = (entry: string) => isIP(entry.split("/")[0] ?? "") !== 0;
    this.#allowed = blockList(allow.filter(isAddress).join(" "));
    this.#hosts = new Set(allow.filter((entry) => !isAddress(entry)));
  }

  /** Whether the operator listed this host name or address. */
  isListed(host: string): boolean {
    const bare = bareHost(host);
    return this.#hosts.has(bare) || (isIP(bare) !== 0 && contains(this.#allowed, unmapped(bare)));
  }

  permits(address: string, hostIsListed: boolean): boolean {
    const bare = unmapped(address);
    // Who allows a translator's network does not mean the clouds' addresses behind it.
    if (contains(this.#metadata, bare) || contains(this.#metadata, translated(bare))) return false;
    if (hostIsListed || contains(this.#allowed, bare)) return true;
    if (isIP(bare) === 6 && !contains(this.#publicV6, bare)) return false;
    return !contains(this.#private, bare);
  }
}

/** `::ffff:10.0.0.1` is 10.0.0.1 on the wire, so it is judged as that. */
function unmapped(address: string): string {
  const bare = address.split("%")[0] ?? address;
  const url = isIP(bare) === 6 ? URL.parse(`http://[${bare}]/`) : null;
  const hex = url && /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(url.hostname);
  if (!hex) return bare;
  return dotted(Number.parseInt(hex[1] ?? "", 16), Number.parseInt(hex[2] ?? "", 16));
}

/** The IPv4 address that a translated one (NAT64, 6to4, "compatible") leads to; any other address itself. */
function translated(address: string): string {
  const url = isIP(address) === 6 ? URL.parse(`http://[${address}]/`) : null;
  const words = url ? toWords(url.hostname) : [];
  const is = (...first: number[]) => first.every((word, index) => words[index] === word);
  if (is(0x2002)) return dotted(words[1], words[2]);
  if (is(0x64, 0xff9b, 0, 0, 0, 0) || is(0, 0, 0, 0, 0, 0)) return dotted(words[6], words[7]);
  return address;
}

/** The eight words of an address as a URL writes it, in brackets and with `::` for the longest run of zeros. */
function toWords(host: string): number[] {
  const [head = [], tail = []] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter(Boolean));
  const known = [...head, ...tail];
  const zeros = Array.from({ length: 8 - known.length }, () => "0");
  return [...head, ...zeros, ...tail].map((word) => Number.parseInt(word, 16));
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

function blockList(cidrs: string): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs.split(" ").filter(Boolean)) {
    const [address = "", bits] = cidr.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

function send(dispatcher: Dispatcher, request: EgressRequest): Promise<EgressResponse> {
  const {
    url,
    method,
    headers,
    body,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    wholeMs = DEFAULT_WHOLE_MS,
    maxBytes = DEFAULT_MAX_BYTES,
  } = request;
  const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
  const chunks: Buffer[] = [];
  let exchange: Dispatcher.DispatchController | undefined;
  let isLate = false;
  const tooLate = (sent: boolean) => new EgressError("timeout", sent, `${url.host} did not answer in time`);
  const timer = setTimeout(() => {
    isLate = true;
    exchange?.abort(tooLate(true));
    reject(tooLate(exchange !== undefined));
  }, wholeMs);
  let size = 0;
  let answer: Omit<EgressResponse, "body"> | undefined;
  dispatcher.dispatch(
    {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    },
    {
      onRequestStart: (controller) => {
        exchange = controller;
        if (isLate) controller.abort(tooLate(false));
      },
      onResponseStart: (_controller, status, responseHeaders) => {
        if (status >= 200) answer = { status, headers: joined(responseHeaders) };
      },
      onResponseData: (controller, chunk) => {
        size += chunk.length;
        if (size <= maxBytes) return void chunks.push(chunk);
        controller.abort(
          new EgressError("too-large", true, `${url.host} answered more than ${maxBytes} bytes`),
        );
      },
      onResponseEnd: () => {
        if (answer) resolve({ ...answer, body: Buffer.concat(chunks) });
      },
      onResponseError: (_controller, error) => reject(toEgressError(error, exchange !== undefined, url.host)),
    },
  );
  return promise.finally(() => clearTimeout(timer));
}

const joined = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

/** What a failed exchange means; `sent` says whether the request had begun to leave. */
export function toEgressError(error: unknown, sent: boolean, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = error instanceof Error ? error.message || code : String(error);
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return new EgressError("not-connected", false, `${host} did not accept a connection in time`, error);
  }
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) {
    return new EgressError("timeout", true, `${host} did not answer in time`, error);
  }
  if (!sent) return new EgressError("not-connected", false, `cannot connect to ${host}: ${text}`, error);
  return new EgressError(
    "broken",
    true,
    `the connection to ${host} broke before the answer was complete: ${text}`,
    error,
  );
}
