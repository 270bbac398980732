/** Facts about Atlassian. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Atlassian",
  authType: "oauth2",
  baseURL: "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api",
  defaultModule: "jira",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://auth.atlassian.com/authorize",
    tokenURL: "https://auth.atlassian.com/oauth/token",
    explicitScopesRequired: true,
  },
  postAuthInfoNeeded: true,
  // The sites that were agreed to; the consent may name several.
  accountInfo: {
    url: "https://api.atlassian.com/oauth/token/accessible-resources",
    pick: { where: "url", equals: "https://{{.workspace}}.atlassian.net" },
    fields: [{ name: "cloudId", displayName: "Cloud id", path: "id" }],
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Site",
        prompt: "The part of your site's address before atlassian.net: acme in acme.atlassian.net.",
        pastedSuffixes: [".atlassian.net"],
      },
    ],
    postAuthentication: [{ name: "cloudId" }],
  },
  modules: {
    jira: {
      displayName: "Atlassian Jira",
      baseURL: "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api",
      support: supports("read", "write"),
    },
  },
});
