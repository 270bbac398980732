/** Looks up host names and returns only addresses that may be connected to. */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { findCurrentWork } from "../../ground/current-work.ts";
import { findForbiddenAddress, type AddressGuard } from "./address-guard.ts";
import type { NameLookups } from "./name-lookups.ts";

interface LookupRules {
  guard: AddressGuard;
  names: NameLookups;
  /** Whether the operator allowed the name. */
  hostIsListed: boolean;
  /** Returns the owner whose share of lookups is used. Default: the project of the current work. */
  owner?: () => string | undefined;
}

/** Returns a replacement for `dns.lookup`, which would hold one of the few threads of the process until a silent name server times out. */
export const buildGuardedLookup =
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

/** The operator's own names may be known by other means than DNS. Nobody else can choose them, so that a thread is no loss. */
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
