/** Facts about WordPress. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "WordPress",
  authType: "oauth2",
  baseURL: "https://public-api.wordpress.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://public-api.wordpress.com/oauth2/authorize",
    tokenURL: "https://public-api.wordpress.com/oauth2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
