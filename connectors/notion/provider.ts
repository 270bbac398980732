/** How notion is connected. Data sources, whose ids are not those of their database, are asked for by a later version. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Notion", "https://api.notion.com", {
  authorize: "https://api.notion.com/v1/oauth/authorize",
  token: "https://api.notion.com/v1/oauth/token",
  tokenAuth: "basic",
  oauth: { authURLParams: { owner: "user" } },
  tokenFields: { workspaceRefField: "workspace_id", consumerRefField: "owner.user.id" },
  fixedHeaders: [{ name: "Notion-Version", valueTemplate: "2022-06-28" }],
  declares: ["read", "write", "delete", "search"],
});
