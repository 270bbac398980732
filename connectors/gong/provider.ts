/** How gong is connected. Each customer has a host of their own, named in the token response. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Gong", "{{.api_base_url_for_customer}}", {
  authorize: "https://app.gong.io/oauth2/authorize",
  token: "https://app.gong.io/oauth2/generate-customer-token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: {
    workspaceRefField: "api_base_url_for_customer",
    scopesField: "scope",
    otherFields: [
      { name: "api_base_url_for_customer", displayName: "API base URL", path: "api_base_url_for_customer" },
    ],
  },
  declares: ["read", "write", "search", "subscribe"],
  hostSuffixes: [".gong.io"],
});
