/** Facts about Outreach. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Outreach",
  authType: "oauth2",
  baseURL: "https://api.outreach.io",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.outreach.io/oauth/authorize",
    tokenURL: "https://api.outreach.io/oauth/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
