/** Facts about Freshdesk. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Freshdesk",
  authType: "basic",
  baseURL: "https://{{.workspace}}.freshdesk.com",
  support: supports("read", "write", "proxy"),
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
        prompt: "The first part of your Freshdesk address: acme in acme.freshdesk.com.",
      },
    ],
  },
});
