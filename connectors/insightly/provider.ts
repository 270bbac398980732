/** How insightly is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Insightly", "https://{{.subdomain}}.insightly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt:
        "The API address of your account without .insightly.com, for example api.na1; it is in your user settings.",
      // Insightly's introduction names no address without a pod, and api.insightly.com answers 404 for every resource.
      defaultValue: "api.na1",
    },
  ],
});
