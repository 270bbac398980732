/** Facts about Microsoft Dynamics CRM. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Microsoft Dynamics CRM",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.api.{{.region}}.dynamics.com/api/data",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    tokenURL: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Web API environment",
        prompt: "The environment in your Web API address: org123456 in org123456.api.crm.dynamics.com.",
        docsURL:
          "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/compose-http-requests-handle-errors?view=dataverse-latest#web-api-url-and-versions",
      },
      {
        name: "region",
        displayName: "Region",
        prompt: "The part between api and dynamics.com in your Web API address, for example crm4.",
        defaultValue: "crm",
        docsURL:
          "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/compose-http-requests-handle-errors?view=dataverse-latest#web-api-url-and-versions",
      },
    ],
  },
});
