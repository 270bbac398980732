/** Facts about Lever. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Lever",
  authType: "oauth2",
  baseURL: "https://api.lever.co",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://auth.lever.co/authorize",
    tokenURL: "https://auth.lever.co/oauth/token",
    audience: ["https://api.lever.co/v1/"],
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
