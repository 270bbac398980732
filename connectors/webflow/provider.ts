/** Facts about Webflow. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Webflow",
  authType: "oauth2",
  baseURL: "https://api.webflow.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://webflow.com/oauth/authorize",
    tokenURL: "https://api.webflow.com/oauth/access_token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
