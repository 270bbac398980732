/** How asana is connected. The first workspace of the user is used. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Asana", "https://app.asana.com/api", {
  authorize: "https://app.asana.com/-/oauth_authorize",
  token: "https://app.asana.com/-/oauth_token",
  tokenAuth: "body",
  tokenFields: { consumerRefField: "data.id" },
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://app.asana.com/api/1.0/users/me",
    fields: [{ name: "workspaceId", displayName: "Workspace id", path: "data.workspaces.0.gid" }],
  },
  metadata: { postAuthentication: [{ name: "workspaceId" }] },
});
