/** How resend is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Resend", "https://api.resend.com", {
  docs: "https://resend.com/docs/dashboard/api-keys/introduction",
  declares: ["read", "write", "delete", "search"],
});
