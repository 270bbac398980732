/** How airtable is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Airtable", "https://api.airtable.com", {
  grant: "authorizationCodePKCE",
  authorize: "https://airtable.com/oauth2/v1/authorize",
  token: "https://airtable.com/oauth2/v1/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search", batchWrite(10)],
  authHealthCheck: { url: "https://api.airtable.com/v0/meta/whoami" },
});
