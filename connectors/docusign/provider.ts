/** Facts about Docusign. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Docusign",
  authType: "oauth2",
  baseURL: "https://{{.server}}.docusign.net",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://account.docusign.com/oauth/auth",
    tokenURL: "https://account.docusign.com/oauth/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
  },
  postAuthInfoNeeded: true,
  // A person may have several accounts; calls go to the one they work in by default.
  accountInfo: {
    url: "https://account.docusign.com/oauth/userinfo",
    pick: { list: "accounts", where: "is_default", equals: "true" },
    fields: [
      {
        name: "server",
        displayName: "Server",
        path: "base_uri",
        capture: "^https://(?<result>[^.]+)\\.docusign\\.net",
      },
      { name: "accountId", displayName: "Account id", path: "account_id" },
    ],
    workspaceField: "accountId",
  },
  metadata: { postAuthentication: [{ name: "server" }, { name: "accountId" }] },
});
