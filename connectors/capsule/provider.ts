/** How capsule is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Capsule", "https://api.capsulecrm.com/api", {
  authorize: "https://api.capsulecrm.com/oauth/authorise",
  token: "https://api.capsulecrm.com/oauth/token",
  needsScopes: true,
  declares: ["read", "write", "delete", "search"],
});
