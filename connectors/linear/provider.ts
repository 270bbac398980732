/** How linear is connected. The base URL is the only address. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Linear", "https://api.linear.app/graphql", {
  authorize: "https://linear.app/oauth/authorize",
  token: "https://api.linear.app/oauth/token",
  needsScopes: true,
  oauth: { scopeSeparator: "," },
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});
