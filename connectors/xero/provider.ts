/** How xero is connected. The first organisation that was agreed to is used. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Xero", "https://api.xero.com", {
  authorize: "https://login.xero.com/identity/connect/authorize",
  token: "https://identity.xero.com/connect/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.xero.com/connections",
    fields: [{ name: "tenantId", displayName: "Tenant id", path: "0.tenantId" }],
    workspaceField: "tenantId",
  },
  metadata: { postAuthentication: [{ name: "tenantId" }] },
  fixedHeaders: [
    { name: "Xero-Tenant-Id", valueTemplate: "{{.tenantId}}" },
    { name: "Accept", valueTemplate: "application/json" },
  ],
});
