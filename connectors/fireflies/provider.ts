/** Facts about Fireflies. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Fireflies",
  authType: "apiKey",
  baseURL: "https://api.fireflies.ai",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://docs.fireflies.ai/fundamentals/authorization#acquiring-a-token",
  },
});
