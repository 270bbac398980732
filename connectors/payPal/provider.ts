/** Facts about PayPal. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "PayPal",
  authType: "oauth2",
  baseURL: "https://api-m.paypal.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "clientCredentials",
    tokenURL: "https://api-m.paypal.com/v1/oauth2/token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    tokenMetadataFields: { scopesField: "scope" },
  },
});
