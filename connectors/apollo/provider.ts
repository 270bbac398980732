/** Facts about Apollo. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Apollo",
  authType: "apiKey",
  baseURL: "https://api.apollo.io",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "X-Api-Key" },
    docsURL: "https://docs.apollo.io/docs/create-api-key",
  },
});
