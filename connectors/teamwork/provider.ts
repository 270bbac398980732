/** Facts about Teamwork. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Teamwork",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.teamwork.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://www.teamwork.com/launchpad/login",
    tokenURL: "https://www.teamwork.com/launchpad/v1/token.json",
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { consumerRefField: "user.id" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Site name",
        prompt: "The first part of your Teamwork address: acme in acme.teamwork.com.",
      },
    ],
  },
});
