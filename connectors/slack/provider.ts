/** How slack is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Slack", "https://slack.com/api", {
  authorize: "https://slack.com/oauth/v2/authorize",
  token: "https://slack.com/api/oauth.v2.access",
  needsScopes: true,
  oauth: { scopeSeparator: "," },
  tokenFields: {
    workspaceRefField: "workspace_name",
    scopesField: "scope",
    otherFields: [{ name: "teamId", displayName: "Team id", path: "team.id" }],
  },
  declares: ["read", "write", "subscribe", "delete", "search"],
  metadata: { postAuthentication: [{ name: "teamId" }] },
});
