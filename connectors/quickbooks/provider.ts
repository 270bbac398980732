/** Facts about QuickBooks. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "QuickBooks",
  authType: "oauth2",
  // The company id is part of the path; it arrives as `realmId` on the OAuth callback. (General knowledge.)
  baseURL: "https://quickbooks.api.intuit.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://appcenter.intuit.com/connect/oauth2",
    tokenURL: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
  },
});
