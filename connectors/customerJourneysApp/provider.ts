/** Facts about Customer.io Journeys App. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Customer.io Journeys App",
  authType: "apiKey",
  baseURL: "https://api.customer.io",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://customer.io/docs/api/app/#section/Authentication",
  },
});
