/** All providers: the folders beside this file, and the table of those that are connection data alone. */
import type { ProviderFacts } from "../connector-kit/provider/define-provider.ts";
import { PROVIDERS } from "./providers.gen.ts";
import { apiKeyProviders } from "./table/api-key.ts";
import { assertionProviders } from "./table/assertion.ts";
import { basicProviders } from "./table/basic.ts";
import { customProviders } from "./table/custom.ts";
import { oauth2AToB } from "./table/oauth2-a-to-b.ts";
import { oauth2CToE } from "./table/oauth2-c-to-e.ts";
import { oauth2FToH } from "./table/oauth2-f-to-h.ts";
import { oauth2IToM } from "./table/oauth2-i-to-m.ts";
import { oauth2NToR } from "./table/oauth2-n-to-r.ts";
import { oauth2SToZ } from "./table/oauth2-s-to-z.ts";

/** A folder takes precedence over an entry of the table. */
export const PROVIDER_TABLE: Record<string, ProviderFacts> = {
  ...apiKeyProviders,
  ...assertionProviders,
  ...basicProviders,
  ...customProviders,
  ...oauth2AToB,
  ...oauth2CToE,
  ...oauth2FToH,
  ...oauth2IToM,
  ...oauth2NToR,
  ...oauth2SToZ,
  ...PROVIDERS,
};
