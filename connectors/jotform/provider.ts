/** Facts about Jotform. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Jotform",
  authType: "apiKey",
  baseURL: "https://api.jotform.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "query",
    query: { name: "apiKey" },
    docsURL: "https://api.jotform.com/docs/#authentication",
  },
});
