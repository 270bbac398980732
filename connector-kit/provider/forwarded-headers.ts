/** Checks the headers of a caller that are passed to a provider. */
import { ProviderError } from "../calls/provider-error.ts";

/** Headers of the connection or the credentials, which a caller cannot set. */
const RESERVED = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Returns the fault of the headers, or undefined. */
export function headerFault(headers: Record<string, string>): ProviderError | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const invalid = (message: string) => new ProviderError({ kind: "invalid", message });
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return invalid(`${JSON.stringify(name)} is not a header name`);
    if (RESERVED.has(name.toLowerCase())) return invalid(`the header ${name} cannot be set by the caller`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return invalid(`the header ${name} holds characters not allowed in it`);
  }
  return undefined;
}
