/** What Busbar knows about Atlassian. */
import { defineProvider, supports } from "../kit/provider.ts";

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
  metadata: {
    // Could be looked up after sign-in; until Busbar does, the customer is asked.
    input: [
      {
        name: "cloudId",
        displayName: "Cloud id",
        prompt: "The cloudId shown by https://acme.atlassian.net/_edge/tenant_info on your own site.",
      },
    ],
  },
  modules: {
    jira: {
      displayName: "Atlassian Jira",
      baseURL: "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api",
      support: supports("read", "write"),
    },
  },
});
