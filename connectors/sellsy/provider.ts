/** Facts about Sellsy. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Sellsy",
  authType: "oauth2",
  baseURL: "https://api.sellsy.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://login.sellsy.com/oauth2/authorization",
    tokenURL: "https://login.sellsy.com/oauth2/access-tokens",
  },
});
