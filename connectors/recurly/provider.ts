/** How recurly is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Recurly", "https://{{.subdomain}}.recurly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.recurly.v2021-02-25+json" }],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your data centre: v3 (United States) or v3.eu (Europe).",
      defaultValue: "v3",
    },
  ],
});
