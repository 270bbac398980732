/** How recurly is connected. */
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Recurly", "https://v3.recurly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.recurly.v2021-02-25+json" }],
});
