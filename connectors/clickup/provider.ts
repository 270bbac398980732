/** How clickup is connected. The first workspace that was agreed to is used. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("ClickUp", "https://api.clickup.com", {
  authorize: "https://app.clickup.com/api",
  token: "https://api.clickup.com/api/v2/oauth/token",
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.clickup.com/api/v2/team",
    fields: [{ name: "teamId", displayName: "Workspace id", path: "teams.0.id" }],
  },
  metadata: { postAuthentication: [{ name: "teamId" }] },
});
