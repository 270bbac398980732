/** Facts about Close. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Close",
  authType: "oauth2",
  baseURL: "https://api.close.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.close.com/oauth2/authorize",
    tokenURL: "https://api.close.com/oauth2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: {
      workspaceRefField: "organization_id",
      consumerRefField: "user_id",
      scopesField: "scope",
    },
  },
  authHealthCheck: { url: "https://api.close.com/api/v1/me" },
});
