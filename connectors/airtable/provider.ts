/** Facts about Airtable. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Airtable",
  authType: "oauth2",
  baseURL: "https://api.airtable.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://airtable.com/oauth2/v1/authorize",
    tokenURL: "https://airtable.com/oauth2/v1/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  authHealthCheck: { url: "https://api.airtable.com/v0/meta/whoami" },
});
