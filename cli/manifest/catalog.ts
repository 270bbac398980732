/** The providers that this version of the command line knows without asking a server. */
import { PROVIDERS } from "../../connectors/providers.gen.ts";
import { completeProvider } from "../../connector-kit/define-provider.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";

export type Catalog = Record<string, ProviderInfo>;

export const builtInCatalog = (): Catalog =>
  Object.fromEntries(Object.entries(PROVIDERS).map(([key, facts]) => [key, completeProvider(key, facts)]));
