/** Facts about Productboard. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Productboard",
  authType: "oauth2",
  baseURL: "https://api.productboard.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.productboard.com/oauth2/authorize",
    tokenURL: "https://app.productboard.com/oauth2/token",
    tokenMetadataFields: { scopesField: "scope" },
  },
});
