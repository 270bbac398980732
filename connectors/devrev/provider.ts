/** Facts about DevRev. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "DevRev",
  authType: "custom",
  baseURL: "https://api.devrev.ai",
  support: supports("read", "write", "proxy"),
  customOpts: {
    headers: [{ name: "Authorization", valueTemplate: "Bearer {{.token}}" }],
    inputs: [
      {
        name: "token",
        displayName: "Personal Access Token",
        prompt: "A personal access token of a user who may read and write what you sync.",
        docsURL: "https://developer.devrev.ai/about/authentication",
      },
    ],
  },
});
