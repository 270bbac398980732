/** Facts about ActiveCampaign. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "ActiveCampaign",
  authType: "apiKey",
  baseURL: "https://{{.workspace}}.api-us1.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Api-Token" },
    docsURL: "https://developers.activecampaign.com/reference/authentication",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Account name",
        prompt: "The first part of your API address: acme in acme.api-us1.com.",
        docsURL: "https://help.activecampaign.com/hc/en-us/articles/207341950-What-is-my-account-name",
      },
    ],
  },
});
