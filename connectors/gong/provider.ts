/** Facts about Gong. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Gong",
  authType: "oauth2",
  // Each customer has an API host of their own, named in the token answer.
  baseURL: "{{.api_base_url_for_customer}}",
  hostSuffixes: [".gong.io"],
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.gong.io/oauth2/authorize",
    tokenURL: "https://app.gong.io/oauth2/generate-customer-token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
    explicitScopesRequired: true,
    tokenMetadataFields: {
      workspaceRefField: "api_base_url_for_customer",
      scopesField: "scope",
      otherFields: [
        {
          name: "api_base_url_for_customer",
          displayName: "API base URL",
          path: "api_base_url_for_customer",
        },
      ],
    },
  },
});
