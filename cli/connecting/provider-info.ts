/** Reads what the server knows of a provider: of the project's own one, or of that in the catalog. */
import { step } from "../http/api.ts";
import { requireObject, valueAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";

export const providerInfo = async (deps: Connected, key: string): Promise<JsonObject> =>
  key.startsWith("x-")
    ? requireObject(valueAt(await deps.inProject("GET", `/providers/${step(key)}`), "provider"))
    : requireObject(await deps.api("GET", `/v1/providers/${step(key)}`));
