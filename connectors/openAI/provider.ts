/** Facts about OpenAI. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "OpenAI",
  authType: "apiKey",
  baseURL: "https://api.openai.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://platform.openai.com/docs/api-reference/api-keys",
  },
});
