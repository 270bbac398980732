/** How intercom is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Intercom", "https://{{.subdomain}}.intercom.io", {
  authorize: "https://app.intercom.com/oauth",
  token: "https://api.intercom.io/auth/eagle/token",
  tokenAuth: "body",
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Intercom-Version", valueTemplate: "2.11" }],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (United States), api.eu (Europe) or api.au (Australia).",
      defaultValue: "api",
    },
  ],
});
