/** Facts about Whereby. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Whereby",
  authType: "apiKey",
  baseURL: "https://api.whereby.dev",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://docs.whereby.com/whereby-101/readme/get-started-in-3-steps#step-1-generate-an-api-key",
  },
});
