/** Facts about Ironclad. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Ironclad",
  authType: "oauth2",
  baseURL: "https://ironcladapp.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://ironcladapp.com/oauth/authorize",
    tokenURL: "https://ironcladapp.com/oauth/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  labels: { experimental: "true" },
});
