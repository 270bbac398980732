/** How chargebee is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Chargebee", "https://{{.workspace}}.chargebee.com/api", "%s:", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Site name",
      prompt: "The first part of your Chargebee address: acme in acme.chargebee.com.",
    },
  ],
});
