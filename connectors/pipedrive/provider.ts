/** Facts about Pipedrive. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Pipedrive",
  authType: "oauth2",
  baseURL: "https://api.pipedrive.com",
  defaultModule: "legacy",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://oauth.pipedrive.com/oauth/authorize",
    tokenURL: "https://oauth.pipedrive.com/oauth/token",
    // Pipedrive's reference lists the Basic header as required.
    tokenAuthStyle: "basic",
  },
  modules: {
    crm: {
      displayName: "Pipedrive CRM",
      baseURL: "https://api.pipedrive.com",
      support: supports(),
    },
    legacy: {
      displayName: "Pipedrive (Legacy)",
      baseURL: "https://api.pipedrive.com",
      support: supports("read", "write"),
    },
  },
});
