/** Facts about Intercom. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Intercom",
  authType: "oauth2",
  baseURL: "https://api.intercom.io",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.intercom.com/oauth",
    tokenURL: "https://api.intercom.io/auth/eagle/token",
    tokenAuthStyle: "body",
  },
});
