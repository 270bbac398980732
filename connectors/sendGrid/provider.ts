/** How sendGrid is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("SendGrid", "https://api.sendgrid.com", {
  docs: "https://www.twilio.com/docs/sendgrid",
  declares: ["read", "write", "delete", "search"],
});
