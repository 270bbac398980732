/** How square is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Square", "https://connect.squareup.com", {
  authorize: "https://connect.squareup.com/oauth2/authorize",
  token: "https://connect.squareup.com/oauth2/token",
  needsScopes: true,
  tokenFields: { consumerRefField: "merchant_id" },
  oauth: {
    authURLParams: { session: "true" },
    docsURL: "https://developer.squareup.com/docs/oauth-api/overview",
  },
  declares: ["read", "write", "delete", "search"],
});
