/** Facts about Monday. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Monday",
  authType: "apiKey",
  // GraphQL; the key goes without a Bearer prefix.
  baseURL: "https://api.monday.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization" },
    docsURL: "https://developer.monday.com/api-reference/docs/authentication",
  },
});
