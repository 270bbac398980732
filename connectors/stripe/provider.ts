/** Facts about Stripe. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Stripe",
  authType: "apiKey",
  baseURL: "https://api.stripe.com",
  support: supports("read", "write", "proxy", "subscribe"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://docs.stripe.com/keys",
  },
});
