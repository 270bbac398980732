/** How pylon is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Pylon", "https://{{.subdomain}}.usepylon.com", {
  docs: "https://docs.usepylon.com/pylon-docs/developer/api",
  declares: ["read", "write", "delete", "search"],
  authHealthCheck: { url: "https://{{.subdomain}}.usepylon.com/me" },
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (United States) or api.eu (Europe).",
      defaultValue: "api",
    },
  ],
});
