/** Facts about Hunter. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Hunter",
  authType: "apiKey",
  baseURL: "https://api.hunter.io",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "query",
    query: { name: "api_key" },
    docsURL: "https://hunter.io/api-documentation#authentication",
  },
});
