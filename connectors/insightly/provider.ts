/** Facts about Insightly. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Insightly",
  authType: "basic",
  baseURL: "https://api.insightly.com",
  support: supports("read", "write", "proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { fieldUsed: "username" },
  },
});
