/** Facts about LinkedIn. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "LinkedIn",
  authType: "oauth2",
  baseURL: "https://api.linkedin.com",
  defaultModule: "platform",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://www.linkedin.com/oauth/v2/authorization",
    tokenURL: "https://www.linkedin.com/oauth/v2/accessToken",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "adAccountId",
        displayName: "Ad Account ID",
        prompt: "The number of the ad account, shown beside its name in Campaign Manager.",
        docsURL: "https://www.linkedin.com/help/linkedin/answer/a424270/find-linkedin-ads-account-details",
        moduleDependencies: { ads: {} },
      },
    ],
  },
  modules: {
    ads: {
      displayName: "LinkedIn (Ads)",
      baseURL: "https://api.linkedin.com",
      support: supports("read", "write"),
    },
    platform: {
      displayName: "LinkedIn (Platform)",
      baseURL: "https://api.linkedin.com",
      support: supports("read", "write"),
    },
  },
});
