/** Finds the address of the proxy that belongs to a server. */
import { UsageFailure } from "../failures.ts";
import { readOrigin } from "./target.ts";

/** Returns the given address, else port 4001 beside port 4000. Throws `UsageFailure` if neither applies. */
export function proxyOrigin(given: string | undefined, origin: string): string {
  if (given) return readOrigin(given);
  const url = new URL(origin);
  if (url.port === "4000") {
    url.port = "4001";
    return url.origin;
  }
  throw new UsageFailure(`The address of the proxy of ${origin} is not known.`, {
    remedy: "Give --proxy-url, set BUSBAR_PROXY_URL, or log in with --proxy-url once.",
  });
}
