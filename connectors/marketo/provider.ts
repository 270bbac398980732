/** Facts about Marketo. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Marketo",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.mktorest.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "clientCredentials",
    tokenURL: "https://{{.workspace}}.mktorest.com/identity/oauth/token",
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Munchkin Account ID",
        prompt: "The Munchkin id in your REST endpoint: 123-ABC-456 in 123-ABC-456.mktorest.com.",
        docsURL:
          "https://nation.marketo.com/t5/knowledgebase/how-to-find-your-munchkin-id-for-a-marketo-instance/ta-p/248432",
      },
    ],
  },
});
