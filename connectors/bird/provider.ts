/** Facts about Bird (MessageBird). */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Bird (MessageBird)",
  authType: "apiKey",
  baseURL: "https://api.bird.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "AccessKey " },
    docsURL: "https://docs.bird.com/api",
  },
});
