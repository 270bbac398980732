/** Facts about Netsuite. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Netsuite",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com",
  defaultModule: "restapi",
  support: supports("read", "write", "proxy", "search"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.app.netsuite.com/app/login/oauth2/authorize.nl",
    tokenURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: true,
    docsURL:
      "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157771733782.html#procedure_157838925981",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Netsuite URL Prefix",
        prompt: "The account in your NetSuite address: 1234567-sb1 in 1234567-sb1.app.netsuite.com.",
        docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1498251763.html",
      },
      {
        name: "scriptId",
        displayName: "RESTlet Script ID",
        prompt: "The number after script= in the external URL of your RESTlet deployment.",
        docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4618456517.html",
        moduleDependencies: { restlet: {} },
      },
      {
        name: "deployId",
        displayName: "RESTlet Deploy ID",
        prompt: "The number after deploy= in the external URL of your RESTlet deployment.",
        docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4618456517.html",
        moduleDependencies: { restlet: {} },
      },
    ],
  },
  modules: {
    restapi: {
      displayName: "Netsuite (REST API)",
      baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/record",
      support: supports("read", "write", "proxy"),
    },
    restlet: {
      displayName: "Netsuite (RESTlet)",
      baseURL: "https://{{.workspace}}.restlets.api.netsuite.com",
      support: supports("read", "write", "proxy", "search"),
    },
    suiteql: {
      displayName: "Netsuite (SuiteQL)",
      baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/query",
      support: supports("read", "proxy"),
    },
  },
});
