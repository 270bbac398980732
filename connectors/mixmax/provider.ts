/** Facts about Mixmax. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Mixmax",
  authType: "apiKey",
  baseURL: "https://api.mixmax.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "X-API-Token" },
    docsURL: "https://developer.mixmax.com/reference/getting-started-with-the-api",
  },
});
