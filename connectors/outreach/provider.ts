/** How outreach is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Outreach", "https://api.outreach.io", {
  authorize: "https://api.outreach.io/oauth/authorize",
  token: "https://api.outreach.io/oauth/token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "subscribe", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.api+json" }],
});
