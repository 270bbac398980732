/** Facts about GitHub. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "GitHub",
  authType: "oauth2",
  baseURL: "https://api.github.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://github.com/login/oauth/authorize",
    // Errors of this endpoint come as status 200 with an `error` member. (General knowledge.)
    tokenURL: "https://github.com/login/oauth/access_token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
