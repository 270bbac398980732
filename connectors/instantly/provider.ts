/** Facts about Instantly (Legacy V1). */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Instantly (Legacy V1)",
  authType: "apiKey",
  baseURL: "https://api.instantly.ai/api",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "query",
    query: { name: "api_key" },
    docsURL: "https://developer.instantly.ai/introduction",
  },
});
