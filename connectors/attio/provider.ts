/** How attio is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Attio", "https://api.attio.com", {
  authorize: "https://app.attio.com/authorize",
  token: "https://app.attio.com/oauth/token",
  declares: ["read", "write", "delete", "search", "subscribe"],
});
