/** Facts about Redtail. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Redtail CRM",
  authType: "custom",
  baseURL: "https://{{.region}}.redtailtechnology.com/api/public/v1",
  support: supports("proxy"),
  customOpts: {
    multiStep: true,
    inputs: [
      { name: "apiKey", displayName: "API key", fieldType: "fieldTypePassword" },
      { name: "username", displayName: "User name", fieldType: "fieldTypeText" },
      { name: "password", displayName: "Password", fieldType: "fieldTypePassword" },
    ],
    // The three are changed once for a user key, which has no end; the password is not needed again.
    connectSteps: [
      {
        request: {
          method: "GET",
          url: "https://{{.region}}.redtailtechnology.com/api/public/v1/authentication",
          basic: { username: "{{.apiKey}}", password: "{{.username}}:{{.password}}" },
          take: { userKey: "authenticated_user.user_key" },
          base64: { userKeyCredentials: "{{.apiKey}}:{{.userKey}}" },
        },
      },
    ],
    headers: [{ name: "Authorization", valueTemplate: "Userkeyauth {{.userKeyCredentials}}" }],
  },
  authHealthCheck: {
    url: "https://{{.region}}.redtailtechnology.com/api/public/v1/authentication",
    successStatusCodes: [200],
  },
  metadata: {
    input: [
      {
        name: "region",
        displayName: "Region",
        defaultValue: "crm",
        prompt: "The part of the address you sign in at before redtailtechnology.com, for example crm.",
      },
    ],
  },
});
