/** Creates a record under a key, so that the request can be repeated if its answer is lost. */
import { setTimeout as wait } from "node:timers/promises";
import { isJsonObject } from "../../../ground/json.ts";
import type { ProviderRequest } from "../../calls/provider-fetch.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import type { ProviderAnswer } from "../../calls/send-request.ts";
import { nestValue, withQuery } from "../request-parts.ts";

/** The provider may still be working on the first request. */
const PAUSE_MS = 300;

/**
 * Sends the request with the key at `header.<name>`, `query.<name>` or `body.<path>`, and once more if its answer is lost. Throws `ProviderError`
 * like `send`: `unknown_outcome` if the repeated request does not tell either whether there is a record.
 */
export async function sendUnderKey(
  { keyTo, key }: { keyTo: string; key: string },
  request: ProviderRequest,
  send: (request: ProviderRequest) => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const keyed = withKey(request, keyTo, key);
  try {
    return await send(keyed);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "unknown_outcome") throw error;
    await wait(PAUSE_MS);
    const again = await send(keyed).catch((cause: unknown) => {
      if (cause instanceof ProviderError) throw error;
      throw cause;
    });
    // The first request is not finished, and may still succeed.
    if (again.error?.kind === "conflict") throw error;
    return again;
  }
}

function withKey(request: ProviderRequest, keyTo: string, key: string): ProviderRequest {
  const name = keyTo.slice(keyTo.indexOf(".") + 1);
  if (keyTo.startsWith("header.")) return { ...request, headers: { ...request.headers, [name]: key } };
  if (keyTo.startsWith("query.")) return { ...request, path: withQuery(request.path, [[name, key]]) };
  const { body } = request;
  return { ...request, body: nestValue(name, key, body !== undefined && isJsonObject(body) ? body : {}) };
}
