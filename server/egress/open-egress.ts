/** Opens the only way for outgoing connections: checks the address, limits time and size. */
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { findCurrentWork, runOutsideWork } from "../../ground/current-work.ts";
import { AddressGuard, findForbiddenAddress, normalizeHost } from "./address-guard.ts";
import { type NameLookups, openNameLookups } from "./name-lookups.ts";
import type { Egress } from "./egress.ts";
import { DEFAULT_TIMEOUT_MS, send } from "./send.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** Providers with many cookies and policies in an answer's head come near Node's 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Opens the egress. `allow` lists hosts and CIDRs that may be reached although they are private (`BUSBAR_EGRESS_ALLOW`). */
export function openEgress(allow: string[], names: NameLookups = openNameLookups()): Egress {
  const guard = new AddressGuard(allow);
  const dispatcher = new Agent({
    connect: createGuardedConnector(guard, names),
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
      const bare = normalizeHost(host);
      const isListed = guard.isListed(bare);
      if (isIP(bare) && !guard.permits(bare, isListed)) throw findForbiddenAddress(bare);
      return buildGuardedLookup({ guard, names, hostIsListed: isListed });
    },
    allowsPlainHttp: (host) => guard.isListed(host),
    mayReach(host) {
      const bare = normalizeHost(host);
      const addresses = isIP(bare) ? [bare] : bare === "localhost" ? ["127.0.0.1", "::1"] : [];
      const isListed = guard.isListed(bare);
      return addresses.length === 0 || addresses.some((address) => guard.permits(address, isListed));
    },
    close: () => dispatcher.destroy(),
  };
}

function createGuardedConnector(guard: AddressGuard, names: NameLookups): buildConnector.connector {
  // The look-up begins before the call of a connector returns.
  let project: string | undefined;
  const connectTo = (hostIsListed: boolean) =>
    buildConnector({
      // HTTP/2 would change the spelling and order of headers, which the proxy passes on unchanged.
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      lookup: buildGuardedLookup({ guard, names, hostIsListed, owner: () => project }),
    });
  const strict = connectTo(false);
  const listed = connectTo(true);
  return (options, callback) => {
    const host = normalizeHost(options.hostname);
    const isListed = guard.isListed(host);
    // An address is never looked up, so it is checked here.
    if (isIP(host) && !guard.permits(host, isListed)) return callback(findForbiddenAddress(host), null);
    project = findCurrentWork()?.ids.projectId;
    // The connection is shared: its answers belong to no work, whoever opens it.
    return runOutsideWork(() => (isListed ? listed : strict)(options, callback));
  };
}

interface LookupRules {
  guard: AddressGuard;
  names: NameLookups;
  /** Whether the operator allowed the name. */
  hostIsListed: boolean;
  /** Returns the owner whose share of lookups is used. Default: the project of the current work. */
  owner?: () => string | undefined;
}

/** Returns a replacement for `dns.lookup`, which would hold one of the few threads of the process until a silent name server times out. */
const buildGuardedLookup =
  ({ guard, names, hostIsListed, owner }: LookupRules): LookupFunction =>
  (hostname, { family, all }, callback) => {
    const project = owner?.() ?? findCurrentWork()?.ids.projectId ?? "";
    const answer = (...found: Parameters<typeof callback>): void => process.nextTick(callback, ...found);
    const found = names
      .find(hostname, project)
      .catch((error: unknown) => (hostIsListed ? findBySystem(hostname) : Promise.reject(error)));
    found.then(
      (addresses) => {
        const wanted = addresses.filter((one) => !family || one.family === Number(String(family).slice(-1)));
        const permitted = wanted.filter(({ address }) => guard.permits(address, hostIsListed));
        const [first] = permitted;
        if (!first) answer(findForbiddenAddress(hostname, wanted), "", 0);
        else if (all) answer(null, permitted);
        else answer(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => answer(toLookupError(error, hostname), "", 0),
    );
  };

/**
 * Looks a name up as the system does: the operator's own names may be known by other means than DNS. Nobody else can choose them, so
 * that a thread is no loss.
 */
function findBySystem(hostname: string): Promise<LookupAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>();
  systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  return promise;
}

function toLookupError(error: NodeJS.ErrnoException, hostname: string): NodeJS.ErrnoException {
  const { code = "EFAIL" } = error;
  const reason = code === "ENOTFOUND" || code === "ENODATA" ? "no such name" : REASONS[code] || error.message;
  return Object.assign(new Error(`cannot look up ${hostname}: ${reason}`, { cause: error }), {
    code,
    hostname,
  });
}

const REASONS: Record<string, string> = {
  ETIMEOUT: "its name server does not answer",
  ESERVFAIL: "its name server failed",
  ECONNREFUSED: "no name server can be reached",
};
