/** Facts about Figma. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Figma",
  authType: "oauth2",
  baseURL: "https://api.figma.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://www.figma.com/oauth",
    tokenURL: "https://www.figma.com/api/oauth/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { consumerRefField: "user_id" },
  },
});
