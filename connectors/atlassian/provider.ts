/** How atlassian is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Atlassian", "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api", {
  authorize: "https://auth.atlassian.com/authorize",
  token: "https://auth.atlassian.com/oauth/token",
  needsScopes: true,
  oauth: { authURLParams: { audience: "api.atlassian.com", prompt: "consent" } },
  declares: ["read", "write", "delete", "search"],
  defaultModule: "jira",
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.atlassian.com/oauth/token/accessible-resources",
    pick: { where: "url", equals: "https://{{.workspace}}.atlassian.net" },
    fields: [{ name: "cloudId", displayName: "Cloud id", path: "id" }],
  },
  inputs: [
    {
      name: "workspace",
      displayName: "Site",
      prompt: "The part of your site's address before atlassian.net: acme in acme.atlassian.net.",
      pastedSuffixes: [".atlassian.net"],
    },
  ],
  metadata: { postAuthentication: [{ name: "cloudId" }] },
  modules: {
    jira: {
      displayName: "Atlassian Jira",
      baseURL: "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api",
      support: supports("read", "write", "delete", "search"),
    },
  },
});
