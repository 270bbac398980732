/** Facts about Constant Contact. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Constant Contact",
  authType: "oauth2",
  baseURL: "https://api.cc.email",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://authz.constantcontact.com/oauth2/default/v1/authorize",
    tokenURL: "https://authz.constantcontact.com/oauth2/default/v1/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
  },
  authHealthCheck: { url: "https://api.cc.email/v3/account/user/privileges" },
});
