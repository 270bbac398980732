/** Facts about ClickUp. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "ClickUp",
  authType: "oauth2",
  baseURL: "https://api.clickup.com",
  support: supports("read", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    // Really ends in /api; there is no /oauth path.
    authURL: "https://app.clickup.com/api",
    tokenURL: "https://api.clickup.com/api/v2/oauth/token",
  },
});
