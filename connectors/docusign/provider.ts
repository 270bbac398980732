/** What Busbar knows about Docusign. */
import { defineProvider, supports } from "../kit/provider.ts";

export const provider = defineProvider({
  displayName: "Docusign",
  authType: "oauth2",
  baseURL: "https://{{.server}}.docusign.net",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://account.docusign.com/oauth/auth",
    tokenURL: "https://account.docusign.com/oauth/token",
    // General knowledge: client id and secret go in a Basic header.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
  },
  metadata: {
    // Could be looked up after sign-in; until Busbar does, the customer is asked.
    input: [
      {
        name: "server",
        displayName: "Server",
        prompt: "The first part of your account's base URI: na3 in na3.docusign.net.",
      },
    ],
  },
});
