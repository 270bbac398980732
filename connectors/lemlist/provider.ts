/** Facts about Lemlist. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Lemlist",
  authType: "apiKey",
  baseURL: "https://api.lemlist.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "query",
    query: { name: "access_token" },
    docsURL: "https://developer.lemlist.com",
  },
});
