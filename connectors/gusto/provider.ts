/** Facts about Gusto. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Gusto",
  authType: "oauth2",
  baseURL: "https://api.gusto.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.gusto.com/oauth/authorize",
    tokenURL: "https://api.gusto.com/oauth/token",
  },
});
