/** Facts about Chargebee. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Chargebee",
  authType: "basic",
  baseURL: "https://{{.workspace}}.chargebee.com/api",
  support: supports("read", "write", "proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { fieldUsed: "username" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Site name",
        prompt: "The first part of your Chargebee address: acme in acme.chargebee.com.",
      },
    ],
  },
});
