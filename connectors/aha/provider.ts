/** Facts about Aha. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Aha",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.aha.io/api",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.aha.io/oauth/authorize",
    tokenURL: "https://{{.workspace}}.aha.io/oauth/token",
    explicitWorkspaceRequired: true,
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Company name",
        prompt: "The first part of your Aha! address: acme in acme.aha.io.",
        docsURL: "https://www.aha.io/api#urls",
      },
    ],
  },
});
