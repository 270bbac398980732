/** Facts about Ramp. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Ramp",
  authType: "oauth2",
  baseURL: "https://api.ramp.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.ramp.com/v1/authorize",
    tokenURL: "https://api.ramp.com/developer/v1/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
  },
});
