/** Facts about Smartsheet. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Smartsheet",
  authType: "oauth2",
  baseURL: "https://api.smartsheet.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.smartsheet.com/b/authorize",
    tokenURL: "https://api.smartsheet.com/2.0/token",
    explicitScopesRequired: true,
  },
});
