/** Facts about Keap. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Keap",
  authType: "oauth2",
  baseURL: "https://api.infusionsoft.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://accounts.infusionsoft.com/app/oauth/authorize",
    tokenURL: "https://api.infusionsoft.com/token",
  },
});
