/** What Busbar knows about Xero. */
import { defineProvider, supports } from "../kit/provider.ts";

export const provider = defineProvider({
  displayName: "Xero",
  authType: "oauth2",
  // Calls need the tenant in an Xero-Tenant-Id header from the caller. (General knowledge.)
  baseURL: "https://api.xero.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://login.xero.com/identity/connect/authorize",
    tokenURL: "https://identity.xero.com/connect/token",
    // General knowledge: client id and secret go in a Basic header.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
