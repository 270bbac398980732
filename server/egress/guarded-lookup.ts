/** Looks up host names and returns only addresses that may be connected to. */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { forbiddenAddress, type AddressGuard } from "./address-guard.ts";

/** Returns a replacement for `dns.lookup`. `hostIsListed` tells whether the operator allowed the name. */
export const guardedLookup =
  (guard: AddressGuard, hostIsListed: boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookUpShared(hostname, options, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const permitted = addresses.filter(({ address }) => guard.permits(address, hostIsListed));
      const [first] = permitted;
      if (!first) return callback(forbiddenAddress(hostname, addresses), "", 0);
      if (options.all) return callback(null, permitted);
      return callback(null, first.address, first.family);
    });
  };

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Callers that wait for a lookup in progress. */
const lookups = new Map<string, LookupCallback[]>();

/**
 * Looks up a name. Concurrent lookups of one name share a single query: a query holds one of the few threads of libuv
 * until the name server answers or times out, so one slow name with many calls would block all others.
 */
function lookUpShared(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  const key = JSON.stringify([hostname, options.family, options.hints, options.order, options.verbatim]);
  const waiting = lookups.get(key);
  if (waiting) return void waiting.push(callback);
  const callbacks = [callback];
  lookups.set(key, callbacks);
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    lookups.delete(key);
    for (const each of callbacks) each(error, addresses);
  });
}
