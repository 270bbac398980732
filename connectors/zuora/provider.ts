/** Facts about Zuora. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Zuora",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.zuora.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "clientCredentials",
    tokenURL: "https://{{.workspace}}.zuora.com/oauth/token",
    explicitWorkspaceRequired: true,
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Workspace",
        prompt: "The host of your tenant before zuora.com, for example rest or rest.eu.",
      },
    ],
  },
});
