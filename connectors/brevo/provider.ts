/** How brevo is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Brevo", "https://api.brevo.com", "api-key", {
  docs: "https://developers.brevo.com/docs/getting-started",
  declares: ["read", "write", "delete", "search"],
});
