/** Refuses requests that a web page made a browser send: by another site's `Origin`, or by a name that it gave this server. */
import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../../ground/errors.ts";

/** A page from the same machine, such as a local inspector, cannot be one of another site. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Throws a 403 Problem unless `Host` is this server's and `Origin`, where a browser sends it, too. A page can let a name of its own
 * lead to this server (DNS rebinding), but no address and no name of somebody else.
 */
export function requireOwnHost({ host, origin }: IncomingHttpHeaders, publicUrl: string): void {
  const own = new URL(publicUrl);
  const named = HOST.test(host ?? "") ? getHostname(`http://${host}`) : undefined;
  if (named === undefined || !(named === own.hostname || LOOPBACK.has(named) || isAddress(named))) {
    throw refuse(
      `This server is not \`${(host ?? "").slice(0, 100)}\`. Call it by its public address, ${own.origin}.`,
    );
  }
  if (origin === undefined) return;
  if (origin === own.origin || isLoopback(origin)) return;
  throw refuse(
    `Pages of \`${origin.slice(0, 100)}\` may not call agents' endpoints. Call them from a server or a local program.`,
  );
}

/** A host and a port: a URL could also have a user, a path or a query, and would lead elsewhere. */
const HOST = /^[^\s@/\\?#]+$/;

/** Returns whether an origin is of this machine, only in the form in which browsers send it. */
function isLoopback(origin: string): boolean {
  const url = URL.parse(origin);
  return url?.origin === origin && LOOPBACK.has(url.hostname);
}

const getHostname = (url: string): string | undefined => URL.parse(url)?.hostname;

/** Returns whether a host name is an address, in the form of a parsed URL. */
const isAddress = (hostname: string): boolean => /^(\d+\.){3}\d+$|^\[/.test(hostname);

const refuse = (detail: string): Problem => new Problem("forbidden", { detail });
