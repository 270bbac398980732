/** Facts about Dropbox. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Dropbox",
  authType: "oauth2",
  baseURL: "https://api.dropboxapi.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://www.dropbox.com/oauth2/authorize",
    tokenURL: "https://api.dropboxapi.com/oauth2/token",
    tokenMetadataFields: { consumerRefField: "account_id", scopesField: "scope" },
  },
});
