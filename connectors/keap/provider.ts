/** How keap is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Keap", "https://api.infusionsoft.com", {
  authorize: "https://accounts.infusionsoft.com/app/oauth/authorize",
  token: "https://api.infusionsoft.com/token",
  declares: ["read", "write", "delete", "search"],
});
