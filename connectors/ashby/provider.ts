/** Facts about Ashby. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Ashby",
  authType: "basic",
  baseURL: "https://api.ashbyhq.com",
  support: supports("read", "write", "proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { fieldUsed: "username" },
  },
});
