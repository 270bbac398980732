/** Facts about Brevo. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Brevo",
  authType: "apiKey",
  baseURL: "https://api.brevo.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "api-key" },
    docsURL: "https://developers.brevo.com/docs/getting-started",
  },
});
