/** How stripe is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Stripe", "https://api.stripe.com", {
  docs: "https://docs.stripe.com/keys",
  declares: ["read", "write", "subscribe", "delete", "search"],
});
