/** How netsuite is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Netsuite", "https://{{.workspace}}.suitetalk.api.netsuite.com", {
  authorize: "https://{{.workspace}}.app.netsuite.com/app/login/oauth2/authorize.nl",
  token: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token",
  tokenAuth: "basic",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    docsURL:
      "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157771733782.html#procedure_157838925981",
  },
  declares: ["read", "write", "delete", "search"],
  defaultModule: "restapi",
  inputs: [
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
  modules: {
    restapi: {
      displayName: "Netsuite (REST API)",
      baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/record",
      support: supports("read", "write", "delete", "search", "proxy"),
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
