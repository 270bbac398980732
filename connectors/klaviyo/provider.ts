/** Facts about Klaviyo. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Klaviyo",
  authType: "oauth2",
  // Every call must also carry a `revision` header. (General knowledge.)
  baseURL: "https://a.klaviyo.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://www.klaviyo.com/oauth/authorize",
    tokenURL: "https://a.klaviyo.com/oauth/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
