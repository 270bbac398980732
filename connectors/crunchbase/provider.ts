/** Facts about Crunchbase. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Crunchbase",
  authType: "apiKey",
  baseURL: "https://api.crunchbase.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "X-cb-user-key" },
    docsURL: "https://data.crunchbase.com/docs/getting-started",
  },
});
