/** How insightly is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Insightly", "https://api.insightly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
});
