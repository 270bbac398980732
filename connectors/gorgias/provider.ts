/** Facts about Gorgias. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Gorgias",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.gorgias.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.gorgias.com/oauth/authorize",
    tokenURL: "https://{{.workspace}}.gorgias.com/oauth/token",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Domain",
        prompt: "The first part of your Gorgias address: acme in acme.gorgias.com.",
      },
    ],
  },
});
