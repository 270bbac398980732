/** Checks that a proxied call carries an API key that may use the proxy of its project. */
import type { Access } from "../access/authorize.ts";
import { Problem } from "../../ground/errors.ts";
import type { KeyOwner } from "../store/access/api-keys.ts";
import { readProjectId, type ProxyRequestNames } from "./read-head.ts";

/**
 * Returns the key's owner. Throws a Problem: 401 without a valid key, 403 for a key of the wrong scope, project or address,
 * 429 beyond its rate limit.
 */
export async function requireProjectKey(
  access: Access,
  names: ProxyRequestNames,
  address: () => string,
): Promise<KeyOwner> {
  if (!names.apiKey && names.hasBearer) {
    throw new Problem("unauthenticated", {
      detail: "The proxy takes no bearer tokens. Send an API key of the project in the header `X-Api-Key`.",
    });
  }
  const owner = await access.keyOwner(names.apiKey);
  const refusal = access.keyLimits.refusal(owner, address);
  if (refusal) throw refusal;
  if (!owner.scopes.includes("full") && !owner.scopes.includes("proxy")) {
    throw new Problem("forbidden", {
      detail:
        "The proxy needs an API key with the scope `full` or `proxy`, and this one has neither. Call it from your server.",
    });
  }
  if (owner.projectId !== readProjectId(names)) {
    throw new Problem("forbidden", {
      detail:
        "This API key belongs to another project than `x-amp-project-id` names. Send a key of that project.",
    });
  }
  return owner;
}
