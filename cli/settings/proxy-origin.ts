/** Finds the address of the proxy that belongs to a server. */
import { UsageFailure } from "../failures.ts";
import { getTextAt } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "./connect.ts";
import { readOrigin } from "./target.ts";

/**
 * Returns the address that was given, else the one that the server tells, else port 4001 beside port 4000. Throws `UsageFailure` if none
 * of them applies.
 */
export const findProxyOrigin = async (
  { target, api }: Pick<Connected, "target" | "api">,
  given = target.proxyUrl,
): Promise<string> => buildProxyOrigin(given ?? (await findProxy(api)), target.origin);

/** Returns undefined for a key that may not ask: only one with the scope `full` may. */
async function findProxy(api: Connected["api"]): Promise<string | undefined> {
  try {
    return getTextAt(await api("GET", "/v1/system"), "urls.proxy");
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return undefined;
    throw error;
  }
}

function buildProxyOrigin(given: string | undefined, origin: string): string {
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
