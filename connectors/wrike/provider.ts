/** Facts about Wrike. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Wrike",
  authType: "oauth2",
  baseURL: "https://www.wrike.com/api",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://www.wrike.com/oauth2/authorize",
    tokenURL: "https://www.wrike.com/oauth2/token",
    explicitScopesRequired: true,
  },
});
