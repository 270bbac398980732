/** Facts about Webex. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Webex",
  authType: "oauth2",
  baseURL: "https://webexapis.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://webexapis.com/v1/authorize",
    tokenURL: "https://webexapis.com/v1/access_token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
    docsURL: "https://developer.webex.com/docs/run-an-oauth-integration",
  },
});
