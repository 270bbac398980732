/** Facts about ZoomInfo. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "ZoomInfo",
  authType: "oauth2",
  baseURL: "https://api.zoominfo.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://api.zoominfo.com/gtm/oauth/v1/authorize",
    tokenURL: "https://api.zoominfo.com/gtm/oauth/v1/token",
    tokenMetadataFields: { scopesField: "scope" },
  },
});
