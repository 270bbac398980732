/** Facts about Slack. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Slack",
  authType: "oauth2",
  // Errors come as status 200 with {"ok": false}. (General knowledge.)
  baseURL: "https://slack.com/api",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://slack.com/oauth/v2/authorize",
    tokenURL: "https://slack.com/api/oauth.v2.access",
    explicitScopesRequired: true,
    tokenMetadataFields: {
      workspaceRefField: "workspace_name",
      scopesField: "scope",
      otherFields: [{ name: "teamId", displayName: "Team id", path: "team.id" }],
    },
  },
  metadata: { postAuthentication: [{ name: "teamId" }] },
});
