/** How gorgias is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Gorgias", "https://{{.workspace}}.gorgias.com", {
  authorize: "https://{{.workspace}}.gorgias.com/oauth/authorize",
  token: "https://{{.workspace}}.gorgias.com/oauth/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt: "The first part of your Gorgias address: acme in acme.gorgias.com.",
    },
  ],
});
