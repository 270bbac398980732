/** The providers that this version of the command line knows without asking a server. */
import { PROVIDER_TABLE } from "../../connectors/provider-table.ts";
import { completeProvider } from "../../connector-kit/provider/define-provider.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";

export type Catalog = Record<string, ProviderInfo>;

export const buildCatalog = (): Catalog =>
  Object.fromEntries(
    Object.entries(PROVIDER_TABLE).map(([key, facts]) => [key, completeProvider(key, facts)]),
  );
