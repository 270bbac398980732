/** How close is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Close", "https://api.close.com", {
  authorize: "https://app.close.com/oauth2/authorize",
  token: "https://api.close.com/oauth2/token/",
  needsScopes: true,
  tokenFields: { workspaceRefField: "organization_id", consumerRefField: "user_id", scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  authHealthCheck: { url: "https://api.close.com/api/v1/me" },
});
