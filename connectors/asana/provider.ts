/** Facts about Asana. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Asana",
  authType: "oauth2",
  baseURL: "https://app.asana.com/api",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.asana.com/-/oauth_authorize",
    tokenURL: "https://app.asana.com/-/oauth_token",
    tokenAuthStyle: "body",
    tokenMetadataFields: { consumerRefField: "data.id" },
  },
});
