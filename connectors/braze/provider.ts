/** Facts about Braze. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Braze",
  authType: "apiKey",
  baseURL: "https://rest.{{.workspace}}.braze.com",
  support: supports("read", "write", "proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://www.braze.com/docs/api/basics/#creating-rest-api-keys",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Instance ID",
        prompt: "The instance in your REST endpoint: iad-01 in rest.iad-01.braze.com.",
      },
    ],
  },
});
