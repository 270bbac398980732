/** How kit is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Kit", "https://api.kit.com", {
  authorize: "https://app.kit.com/oauth/authorize",
  token: "https://app.kit.com/oauth/token",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});
