/** How zoom is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Zoom", "https://api.zoom.us", {
  authorize: "https://zoom.us/oauth/authorize",
  token: "https://zoom.us/oauth/token",
  tokenAuth: "basic",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});
