/** How salesloft is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Salesloft", "https://api.salesloft.com", {
  authorize: "https://accounts.salesloft.com/oauth/authorize",
  token: "https://accounts.salesloft.com/oauth/token",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "subscribe", "delete", "search"],
});
