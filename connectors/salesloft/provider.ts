/** Facts about Salesloft. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Salesloft",
  authType: "oauth2",
  baseURL: "https://api.salesloft.com",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://accounts.salesloft.com/oauth/authorize",
    tokenURL: "https://accounts.salesloft.com/oauth/token",
    tokenMetadataFields: { scopesField: "scope" },
  },
});
