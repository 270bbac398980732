/** How monday is connected. The key is sent without a prefix. The version makes all errors have one form. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Monday", "https://api.monday.com", "Authorization", {
  docs: "https://developer.monday.com/api-reference/docs/authentication",
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "API-Version", valueTemplate: "2026-10" }],
});
