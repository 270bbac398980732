/** Facts about Zendesk Support. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Zendesk Support",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.zendesk.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.zendesk.com/oauth/authorizations/new",
    tokenURL: "https://{{.workspace}}.zendesk.com/oauth/tokens",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: true,
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The first part of your Zendesk address: acme in acme.zendesk.com.",
      },
    ],
  },
});
