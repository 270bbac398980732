/** Facts about Freshservice. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Freshservice",
  authType: "basic",
  baseURL: "https://{{.workspace}}.freshservice.com",
  support: supports("proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { keyFormat: "%s:X" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Domain",
        prompt: "The first part of your Freshservice address: acme in acme.freshservice.com.",
      },
    ],
  },
});
