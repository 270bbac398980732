/** Facts about Discord. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Discord",
  authType: "oauth2",
  baseURL: "https://discord.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://discord.com/oauth2/authorize",
    tokenURL: "https://discord.com/api/oauth2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
});
