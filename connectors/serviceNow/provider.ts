/** Facts about ServiceNow. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "ServiceNow",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.service-now.com",
  support: supports("read", "write", "proxy", "search"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.service-now.com/oauth_auth.do",
    tokenURL: "https://{{.workspace}}.service-now.com/oauth_token.do",
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Instance",
        prompt: "The first part of your instance address: dev1234 in dev1234.service-now.com.",
      },
    ],
  },
});
