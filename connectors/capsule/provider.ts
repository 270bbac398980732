/** Facts about Capsule. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Capsule",
  authType: "oauth2",
  baseURL: "https://api.capsulecrm.com/api",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.capsulecrm.com/oauth/authorise",
    tokenURL: "https://api.capsulecrm.com/oauth/token",
    explicitScopesRequired: true,
  },
});
