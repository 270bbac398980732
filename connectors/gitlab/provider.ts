/** How gitlab is connected. */
import { custom } from "../../connector-kit/provider/declare-provider.ts";

export const provider = custom("GitLab", "https://gitlab.com", {
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
  declares: ["read", "write", "delete", "search"],
});
