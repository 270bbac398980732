/** How shopify is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Shopify", "https://{{.workspace}}.myshopify.com", {
  authorize: "https://{{.workspace}}.myshopify.com/admin/oauth/authorize",
  token: "https://{{.workspace}}.myshopify.com/admin/oauth/access_token",
  tokenAuth: "body",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    scopeSeparator: ",",
    accessTokenOpts: {
      attachmentType: "accessTokenHeaderAttachment",
      header: { name: "X-Shopify-Access-Token" },
    },
    docsURL: "https://shopify.dev/docs/api/admin-graphql#authentication",
  },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Store",
      prompt: "The first part of your shop address: acme in acme.myshopify.com.",
      docsURL: "https://shopify.dev/docs/api/admin-graphql#endpoints",
    },
  ],
});
