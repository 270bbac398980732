/** Deploys the providers that come with a manifest, in the same transaction. */
import { setImmediate } from "node:timers/promises";
import type { CustomProviders, CustomProvider } from "../../../connector-kit/catalog.ts";
import { isJsonObject } from "../../../ground/json.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { requireCustomProvider, storeCustomProvider } from "../providers/custom-provider.ts";
import type { DeployServices } from "./deploy-manifest.ts";

/** Throws a 422 Problem with one issue for each mistake of the first provider that has some. */
export async function checkProviders(
  deps: DeployServices,
  documents: Record<string, unknown>,
): Promise<CustomProviders> {
  const providers = new Map<string, CustomProvider>();
  for (const [key, document] of Object.entries(documents)) {
    // Lets other requests run: a large document takes some tenths of a second.
    await setImmediate();
    providers.set(key, requireCustomProvider(deps, key, document, `providers.${key}`));
  }
  return providers;
}

/** Stores them in the order of their keys: otherwise two concurrent deployments could deadlock. */
export async function storeProviders(
  queries: ControlQueries,
  projectId: string,
  providers: CustomProviders,
  documents: Record<string, unknown>,
): Promise<void> {
  for (const [key, own] of [...providers].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const document = documents[key];
    if (isJsonObject(document)) await storeCustomProvider(queries, projectId, own, document);
  }
}
