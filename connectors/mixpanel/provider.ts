/** Facts about Mixpanel. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Mixpanel",
  authType: "basic",
  baseURL: "https://{{.workspace}}.mixpanel.com",
  support: supports("proxy"),
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "API Subdomain",
        prompt: "The API host of your project: api, or api-eu and the like for other residencies.",
      },
    ],
  },
});
