/** Facts about Drift. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Drift",
  authType: "oauth2",
  baseURL: "https://driftapi.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://dev.drift.com/authorize",
    tokenURL: "https://driftapi.com/oauth2/token",
    tokenMetadataFields: { workspaceRefField: "orgId" },
  },
});
