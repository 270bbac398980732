/** How webex is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Webex", "https://webexapis.com", {
  authorize: "https://webexapis.com/v1/authorize",
  token: "https://webexapis.com/v1/access_token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  oauth: { docsURL: "https://developer.webex.com/docs/run-an-oauth-integration" },
  declares: ["read", "write", "delete", "search"],
});
