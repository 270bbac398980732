/** Facts about Anthropic. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Anthropic",
  authType: "apiKey",
  baseURL: "https://api.anthropic.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "x-api-key" },
    docsURL: "https://docs.anthropic.com/en/api/getting-started#authentication",
  },
});
