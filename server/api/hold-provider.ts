/** Locks a project's custom provider against deletion while something with credentials for it is stored. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { isOwnKey, listOrigins } from "../../connector-kit/custom-provider.ts";
import { Problem } from "../../ground/errors.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import { holdCustomProvider } from "../store/connections/custom-providers.ts";

/**
 * Call it in the transaction that stores the credentials. Throws a 409 Problem if the provider was deleted, or deleted and made
 * again with other addresses: the credentials were meant for those of before.
 */
export async function holdProvider(
  queries: ControlQueries,
  catalog: Catalog,
  { projectId, provider }: { projectId: string; provider: string },
): Promise<void> {
  const info = isOwnKey(provider) ? catalog.of(projectId).find(provider) : undefined;
  if (!info) return;
  if (await holdCustomProvider(queries, { projectId, key: provider, origins: listOrigins(info) })) return;
  throw new Problem("conflict", {
    detail: `The provider ${provider} was deleted or made again while its credentials were being stored. Repeat the request.`,
  });
}
