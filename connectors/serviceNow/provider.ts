/** How serviceNow is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("ServiceNow", "https://{{.workspace}}.service-now.com", {
  authorize: "https://{{.workspace}}.service-now.com/oauth_auth.do",
  token: "https://{{.workspace}}.service-now.com/oauth_token.do",
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  // Instances of the United States' Government Community Cloud have a domain of their own.
  hostSuffixes: [".service-now.com", ".servicenowservices.com"],
  declares: ["read", "write", "search", "delete", batchWrite(50)],
  inputs: [
    {
      name: "workspace",
      displayName: "Instance",
      prompt:
        "The first part of your instance address, dev1234 in dev1234.service-now.com, or the whole address if it ends otherwise, for example dev1234.servicenowservices.com.",
    },
  ],
});
