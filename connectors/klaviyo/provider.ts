/** How klaviyo is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Klaviyo", "https://a.klaviyo.com", {
  grant: "authorizationCodePKCE",
  authorize: "https://www.klaviyo.com/oauth/authorize",
  token: "https://a.klaviyo.com/oauth/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "revision", valueTemplate: "2026-07-15" }],
});
