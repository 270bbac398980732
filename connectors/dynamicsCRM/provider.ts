/** How dynamicsCRM is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2(
  "Microsoft Dynamics CRM",
  "https://{{.workspace}}.api.{{.region}}.dynamics.com/api/data",
  {
    authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write", "delete", "search", batchWrite(100)],
    inputs: [
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
);
