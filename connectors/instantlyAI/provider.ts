/** How instantlyAI is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Instantly", "https://api.instantly.ai/api", {
  docs: "https://developer.instantly.ai/getting-started/getting-started#generate-a-new-api-key",
  declares: ["read", "write", "delete", "search"],
});
