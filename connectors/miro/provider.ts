/** Facts about Miro. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Miro",
  authType: "oauth2",
  baseURL: "https://api.miro.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://miro.com/oauth/authorize",
    tokenURL: "https://api.miro.com/v1/oauth/token",
    tokenMetadataFields: {
      workspaceRefField: "team_id",
      consumerRefField: "user_id",
      scopesField: "scope",
    },
  },
});
