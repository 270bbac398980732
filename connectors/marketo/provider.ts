/** How marketo is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Marketo", "https://{{.workspace}}.mktorest.com", {
  grant: "clientCredentials",
  token: "https://{{.workspace}}.mktorest.com/identity/oauth/token",
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search", batchWrite(300)],
  inputs: [
    {
      name: "workspace",
      displayName: "Munchkin Account ID",
      prompt: "The Munchkin id in your REST endpoint: 123-ABC-456 in 123-ABC-456.mktorest.com.",
      docsURL:
        "https://nation.marketo.com/t5/knowledgebase/how-to-find-your-munchkin-id-for-a-marketo-instance/ta-p/248432",
    },
  ],
});
