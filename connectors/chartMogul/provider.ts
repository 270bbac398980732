/** Facts about ChartMogul. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "ChartMogul",
  authType: "basic",
  baseURL: "https://api.chartmogul.com",
  support: supports("proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { fieldUsed: "username" },
  },
});
