/** Facts about Xero. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

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
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  postAuthInfoNeeded: true,
  // The first organisation that was agreed to; who agreed to several asks there again with the token.
  accountInfo: {
    url: "https://api.xero.com/connections",
    fields: [{ name: "tenantId", displayName: "Tenant id", path: "0.tenantId" }],
    workspaceField: "tenantId",
  },
  metadata: { postAuthentication: [{ name: "tenantId" }] },
});
