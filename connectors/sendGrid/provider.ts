/** How sendGrid is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("SendGrid", "https://{{.subdomain}}.sendgrid.com", {
  docs: "https://www.twilio.com/docs/sendgrid",
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (global) or api.eu (a regional subuser in Europe).",
      defaultValue: "api",
    },
  ],
});
