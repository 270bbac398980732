/** Facts about Shopify. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Shopify",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.myshopify.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.myshopify.com/admin/oauth/authorize",
    tokenURL: "https://{{.workspace}}.myshopify.com/admin/oauth/access_token",
    tokenAuthStyle: "body",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: true,
    // Offline tokens do not expire. (General knowledge.)
    accessTokenOpts: {
      attachmentType: "accessTokenHeaderAttachment",
      header: { name: "X-Shopify-Access-Token" },
    },
    docsURL: "https://shopify.dev/docs/api/admin-graphql#authentication",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Store",
        prompt: "The first part of your shop address: acme in acme.myshopify.com.",
        docsURL: "https://shopify.dev/docs/api/admin-graphql#endpoints",
      },
    ],
  },
});
