/** Deploys the providers that come with a manifest, in the same transaction. */
import type { OwnProviders } from "../../../connectors/catalog.ts";
import { isJsonObject } from "../../ground/json.ts";
import type { Queries } from "../../store/database.ts";
import { checkedOwnProvider, storeOwnProvider } from "../providers/own-provider.ts";
import type { DeployServices } from "./deploy-manifest.ts";

/** Throws a 422 Problem with one issue for each mistake of the first provider that has some. */
export const checkedProviders = (deps: DeployServices, documents: Record<string, unknown>): OwnProviders =>
  new Map(
    Object.entries(documents).map(([key, document]) => [
      key,
      checkedOwnProvider(deps, key, document, `providers.${key}`),
    ]),
  );

/** In the order of their keys: otherwise two concurrent deployments could deadlock. */
export async function storeProviders(
  queries: Queries,
  projectId: string,
  providers: OwnProviders,
  documents: Record<string, unknown>,
): Promise<void> {
  for (const [key, own] of [...providers].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const document = documents[key];
    if (isJsonObject(document)) await storeOwnProvider(queries, projectId, own, document);
  }
}
