/** Facts about SendGrid. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "SendGrid",
  authType: "apiKey",
  baseURL: "https://api.sendgrid.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://www.twilio.com/docs/sendgrid",
  },
});
