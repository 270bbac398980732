/** How copper is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Copper", "https://api.copper.com/developer_api", "X-PW-AccessToken", {
  docs: "https://developer.copper.com/introduction/authentication.html#api-keys",
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "userEmail",
      displayName: "User Emails",
      prompt: "The e-mail address of the user who made the API key.",
    },
  ],
  fixedHeaders: [
    { name: "X-PW-UserEmail", valueTemplate: "{{.userEmail}}" },
    { name: "X-PW-Application", valueTemplate: "developer_api" },
  ],
});
