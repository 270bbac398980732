/** Facts about Notion. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Notion",
  authType: "oauth2",
  // Every call must also carry a Notion-Version header; Busbar passes the caller's through. (General knowledge.)
  baseURL: "https://api.notion.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.notion.com/v1/oauth/authorize",
    tokenURL: "https://api.notion.com/v1/oauth/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    tokenMetadataFields: { workspaceRefField: "workspace_id", consumerRefField: "owner.user.id" },
  },
});
