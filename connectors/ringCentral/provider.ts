/** Facts about RingCentral. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "RingCentral",
  authType: "oauth2",
  baseURL: "https://platform.ringcentral.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://platform.ringcentral.com/restapi/oauth/authorize",
    tokenURL: "https://platform.ringcentral.com/restapi/oauth/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    tokenMetadataFields: { consumerRefField: "owner_id", scopesField: "scope" },
  },
});
