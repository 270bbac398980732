/** Facts about Mailgun. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Mailgun",
  authType: "basic",
  baseURL: "https://api.mailgun.net",
  support: supports("proxy"),
  basicOpts: {
    apiKeyAsBasic: true,
    // General knowledge: the API key is sent as one half of HTTP Basic.
    apiKeyAsBasicOpts: { keyFormat: "api:%s" },
    docsURL: "https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/",
  },
});
