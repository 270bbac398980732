/** How zendeskSupport is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Zendesk Support", "https://{{.workspace}}.zendesk.com", {
  authorize: "https://{{.workspace}}.zendesk.com/oauth/authorizations/new",
  token: "https://{{.workspace}}.zendesk.com/oauth/tokens",
  needsScopes: true,
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Subdomain",
      prompt: "The first part of your Zendesk address: acme in acme.zendesk.com.",
    },
  ],
});
