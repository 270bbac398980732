/** How apollo is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Apollo", "https://api.apollo.io", "X-Api-Key", {
  docs: "https://docs.apollo.io/docs/create-api-key",
  declares: ["read", "write", "search"],
});
