/** Finds the address of the proxy that belongs to a server. */
import { UsageFailure } from "../failures.ts";
import { originOf } from "./target.ts";

/** `given` is from an option, the environment or a login. The default port of the proxy is the next one to 4000. */
export function proxyOrigin(given: string | undefined, origin: string): string {
  if (given) return originOf(given);
  const url = new URL(origin);
  if (url.port === "4000") {
    url.port = "4001";
    return url.origin;
  }
  throw new UsageFailure(`Where does the proxy of ${origin} listen?`, {
    remedy: "Give --proxy-url, set BUSBAR_PROXY_URL, or log in with --proxy-url once.",
  });
}
