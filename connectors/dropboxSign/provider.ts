/** Facts about Dropbox Sign. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Dropbox Sign",
  authType: "oauth2",
  baseURL: "https://api.hellosign.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.hellosign.com/oauth/authorize",
    tokenURL: "https://app.hellosign.com/oauth/token",
  },
});
