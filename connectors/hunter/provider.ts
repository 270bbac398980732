/** How hunter is connected. */
import { queryKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = queryKey("Hunter", "https://api.hunter.io", "api_key", {
  docs: "https://hunter.io/api-documentation#authentication",
  declares: ["read", "write", "delete", "search"],
});
