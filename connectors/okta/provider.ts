/** How okta is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Okta", "https://{{.workspace}}.okta.com", {
  authorize: "https://{{.workspace}}.okta.com/oauth2/v1/authorize",
  token: "https://{{.workspace}}.okta.com/oauth2/v1/token",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    docsURL:
      "https://developer.okta.com/docs/guides/implement-oauth-for-okta/main/#get-an-access-token-and-make-a-request",
  },
  declares: ["read", "write", "delete", "search"],
  hostSuffixes: [".okta.com", ".oktapreview.com", ".okta-emea.com", ".okta-gov.com", ".okta.mil"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt:
        "The first part of your Okta address, acme in acme.okta.com, or the whole address if it ends otherwise, for example acme.oktapreview.com.",
      docsURL: "https://developer.okta.com/docs/guides/find-your-domain/main/",
    },
  ],
});
