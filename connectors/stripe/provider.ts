/** How stripe is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Stripe", "https://api.stripe.com", {
  // Without it, each account's own version holds, which may be years old: https://github.com/stripe/stripe-python/issues/687
  fixedHeaders: [{ name: "Stripe-Version", valueTemplate: "2026-07-29.dahlia" }],
  docs: "https://docs.stripe.com/keys",
  declares: ["read", "write", "subscribe", "delete", "search"],
});
