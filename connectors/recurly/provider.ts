/** Facts about Recurly. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Recurly",
  authType: "basic",
  baseURL: "https://v3.recurly.com",
  support: supports("read", "write", "proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { fieldUsed: "username" },
  },
});
