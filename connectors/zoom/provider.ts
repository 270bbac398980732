/** Facts about Zoom. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Zoom",
  authType: "oauth2",
  baseURL: "https://api.zoom.us",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://zoom.us/oauth/authorize",
    tokenURL: "https://zoom.us/oauth/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    tokenMetadataFields: { scopesField: "scope" },
  },
});
