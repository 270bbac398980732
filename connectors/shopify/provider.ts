/**
 * How shopify is connected. Tokens end after an hour and are refreshed: from 2027-01-01 Shopify refuses those of public apps that do not end, since
 * 2026-04-01 those of new ones (shopify.dev/changelog, read on 2026-11-28). The exchange is that of Shopify's own library, @shopify/shopify-api 12.2.0.
 */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

const OFFLINE_TOKEN = "urn:shopify:params:oauth:token-type:offline-access-token";

export const provider = oauth2("Shopify", "https://{{.workspace}}.myshopify.com", {
  authorize: "https://{{.workspace}}.myshopify.com/admin/oauth/authorize",
  token: "https://{{.workspace}}.myshopify.com/admin/oauth/access_token",
  tokenAuth: "body",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    scopeSeparator: ",",
    tokenParams: { expiring: "1" },
    tokenExchange: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: OFFLINE_TOKEN,
      requested_token_type: OFFLINE_TOKEN,
      expiring: "1",
    },
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
