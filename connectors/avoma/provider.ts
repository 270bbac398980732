/** Facts about Avoma. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Avoma",
  authType: "apiKey",
  baseURL: "https://api.avoma.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://help.avoma.com/api-integration-for-avoma",
  },
});
