/** Facts about Segment. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Segment",
  authType: "apiKey",
  baseURL: "https://api.segmentapis.com",
  support: supports("proxy"),
  apiKeyOpts: {
    attachmentType: "header",
    header: { name: "Authorization", valuePrefix: "Bearer " },
    docsURL: "https://docs.segmentapis.com/tag/Getting-Started#section/Get-an-API-token",
  },
});
