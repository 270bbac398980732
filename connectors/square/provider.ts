/** Facts about Square. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Square",
  authType: "oauth2",
  baseURL: "https://connect.squareup.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://connect.squareup.com/oauth2/authorize",
    authURLParams: { session: "true" },
    tokenURL: "https://connect.squareup.com/oauth2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { consumerRefField: "merchant_id" },
    docsURL: "https://developer.squareup.com/docs/oauth-api/overview",
  },
});
