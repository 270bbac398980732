/** Facts about Rebilly. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Rebilly",
  authType: "apiKey",
  baseURL: "https://api.rebilly.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "REB-APIKEY" },
    docsURL: "https://www.rebilly.com/catalog/all/section/authentication/manage-api-keys",
  },
});
