/** How freshdesk is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Freshdesk", "https://{{.workspace}}.freshdesk.com", "%s:X", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt: "The first part of your Freshdesk address: acme in acme.freshdesk.com.",
    },
  ],
});
