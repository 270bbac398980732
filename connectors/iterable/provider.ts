/** How iterable is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = headerKey("Iterable", "https://{{.subdomain}}.iterable.com", "Api-Key", {
  docs: "https://app.iterable.com/settings/apiKeys",
  declares: ["read", "write", "delete", "search", batchWrite(1000)],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your data centre: api (United States) or api.eu (Europe).",
      defaultValue: "api",
    },
  ],
});
