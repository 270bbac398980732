/** Facts about Linear. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Linear",
  authType: "oauth2",
  // GraphQL.
  baseURL: "https://api.linear.app/graphql",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://linear.app/oauth/authorize",
    tokenURL: "https://api.linear.app/oauth/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
