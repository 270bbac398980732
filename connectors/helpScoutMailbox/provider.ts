/** Facts about Help Scout Mailbox. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Help Scout Mailbox",
  authType: "oauth2",
  baseURL: "https://api.helpscout.net",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "clientCredentials",
    tokenURL: "https://api.helpscout.net/v2/oauth2/token",
    docsURL: "https://developer.helpscout.com/mailbox-api/overview/authentication/",
  },
  authHealthCheck: { url: "https://api.helpscout.net/v2/users/me" },
});
