/** How quickbooks is connected. The callback names the company, which is part of every path. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("QuickBooks", "https://quickbooks.api.intuit.com", {
  authorize: "https://appcenter.intuit.com/connect/oauth2",
  token: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
  tokenAuth: "basic",
  needsScopes: true,
  oauth: { callbackFields: [{ name: "realmId", displayName: "Company ID" }] },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/json" }],
});
