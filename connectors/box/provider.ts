/** Facts about Box. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Box",
  authType: "oauth2",
  baseURL: "https://api.box.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://account.box.com/api/oauth2/authorize",
    tokenURL: "https://api.box.com/oauth2/token",
  },
});
