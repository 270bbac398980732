/** Facts about Greenhouse (Harvest). */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Greenhouse (Harvest)",
  authType: "oauth2",
  baseURL: "https://harvest.greenhouse.io",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://auth.greenhouse.io/authorize",
    tokenURL: "https://auth.greenhouse.io/token",
    explicitScopesRequired: true,
  },
});
