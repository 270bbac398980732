/** Facts about Typeform. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Typeform",
  authType: "oauth2",
  baseURL: "https://api.typeform.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.typeform.com/oauth/authorize",
    tokenURL: "https://api.typeform.com/oauth/token",
    explicitScopesRequired: true,
  },
});
