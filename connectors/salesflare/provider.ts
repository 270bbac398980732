/** How salesflare is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Salesflare", "https://api.salesflare.com", {
  docs: "https://api.salesflare.com/docs#section/Introduction/Authentication",
  declares: ["read", "write", "delete", "search"],
});
