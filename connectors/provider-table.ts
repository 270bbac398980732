/** All providers: the folders beside this file, and the table of those that are connection data alone. */
import type { ProviderFacts } from "../connector-kit/provider/define-provider.ts";
import { PROVIDERS } from "./providers.gen.ts";
import { apiKeyProviders } from "./table/api-key.ts";
import { assertionProviders } from "./table/assertion.ts";
import { basicProviders } from "./table/basic.ts";
import { customProviders } from "./table/custom.ts";
import { oauth2Providers } from "./table/oauth2.ts";

/** A folder takes precedence over an entry of the table. */
export const PROVIDER_TABLE: Record<string, ProviderFacts> = {
  ...apiKeyProviders,
  ...assertionProviders,
  ...basicProviders,
  ...customProviders,
  ...oauth2Providers,
  ...PROVIDERS,
};
