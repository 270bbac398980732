/** Facts about Copper. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Copper",
  authType: "apiKey",
  baseURL: "https://api.copper.com/developer_api",
  support: supports("read", "write", "proxy"),
  // Calls also need X-PW-UserEmail and X-PW-Application: developer_api from the caller. (General knowledge.)
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "X-PW-AccessToken" },
    docsURL: "https://developer.copper.com/introduction/authentication.html#api-keys",
  },
  metadata: {
    input: [
      {
        name: "userEmail",
        displayName: "User Emails",
        prompt: "The e-mail address of the user who made the API key.",
      },
    ],
  },
});
