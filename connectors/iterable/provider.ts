/** Facts about Iterable. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Iterable",
  authType: "apiKey",
  baseURL: "https://api.iterable.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Api-Key" },
    docsURL: "https://app.iterable.com/settings/apiKeys",
  },
});
