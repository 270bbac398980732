/** Facts about Pylon. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Pylon",
  authType: "apiKey",
  baseURL: "https://api.usepylon.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://docs.usepylon.com/pylon-docs/developer/api",
  },
});
