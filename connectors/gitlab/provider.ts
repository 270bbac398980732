/** Facts about GitLab. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "GitLab",
  authType: "custom",
  baseURL: "https://gitlab.com",
  support: supports("read", "write", "proxy"),
  customOpts: {
    headers: [{ name: "PRIVATE-TOKEN", valueTemplate: "{{.token}}" }],
    inputs: [
      {
        name: "token",
        displayName: "Access Token",
        prompt: "A personal, project or group access token with the scope api.",
        docsURL: "https://gitlab.com/-/user_settings/personal_access_tokens",
      },
    ],
  },
});
