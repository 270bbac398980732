/** Facts about Attio. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Attio",
  authType: "oauth2",
  baseURL: "https://api.attio.com",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.attio.com/authorize",
    tokenURL: "https://app.attio.com/oauth/token",
  },
});
