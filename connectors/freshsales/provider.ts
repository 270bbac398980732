/** Facts about Freshsales. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Freshsales",
  authType: "apiKey",
  baseURL: "https://{{.workspace}}.myfreshworks.com/crm/sales",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Token token=" },
    docsURL: "https://developers.freshworks.com/crm/api/#authentication",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Account name",
        prompt: "The first part of your Freshsales address: acme in acme.myfreshworks.com.",
      },
    ],
  },
});
