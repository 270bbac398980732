/** Facts about Jobber. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Jobber",
  authType: "oauth2",
  // GraphQL.
  baseURL: "https://api.getjobber.com/api/graphql",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.getjobber.com/api/oauth/authorize",
    tokenURL: "https://api.getjobber.com/api/oauth/token",
  },
});
