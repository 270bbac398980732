/** Adds to a request what authenticates it: query parameters, headers, or a signature over all of it. */
import { withDefaults, type Authorization } from "./authorization.ts";
import { signRequest } from "./sign-request.ts";

interface PlainRequest {
  url: URL;
  method: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Returns the request as it is sent; headers by lower-case name. To be called for every attempt, because a signature is valid
 * for some minutes. Throws `UnsignableRequest`.
 */
export async function authorizeRequest(
  added: Authorization,
  { url: address, method, headers = {}, body }: PlainRequest,
): Promise<PlainRequest & { headers: Record<string, string> }> {
  // Most providers take headers only: their address is not parsed once more for each call.
  const url = added.query.length === 0 && !added.signer ? address : new URL(address);
  for (const [name, value] of added.query) url.searchParams.set(name, value);
  const request = { url, method, headers: withDefaults(added, headers), ...(body !== undefined && { body }) };
  if (!added.signer) return request;
  const signed = await signRequest(added.signer, {
    method,
    host: url.host,
    path: url.pathname + url.search,
    headers: Object.entries(request.headers).flat(),
    body,
  });
  // Set by property: a path that begins with two slashes must not become a host.
  const mark = signed.path.indexOf("?");
  url.pathname = mark === -1 ? signed.path : signed.path.slice(0, mark);
  url.search = mark === -1 ? "" : signed.path.slice(mark);
  return { ...request, headers: toPairs(signed.headers) };
}

const toPairs = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, lines[at + 1] ?? ""]] : [])),
  );
