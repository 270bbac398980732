/** Facts about Podium. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Podium",
  authType: "oauth2",
  baseURL: "https://api.podium.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.podium.com/oauth/authorize",
    tokenURL: "https://api.podium.com/oauth/token",
    explicitScopesRequired: true,
  },
});
