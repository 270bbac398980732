/** Facts about Smartlead. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Smartlead",
  authType: "apiKey",
  baseURL: "https://server.smartlead.ai/api",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "query",
    query: { name: "api_key" },
    docsURL: "https://api.smartlead.ai/reference/authentication",
  },
});
