/** Facts about Front. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Front",
  authType: "apiKey",
  baseURL: "https://api2.frontapp.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://dev.frontapp.com/docs/create-and-revoke-api-tokens",
  },
});
