/** How front is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Front", "https://api2.frontapp.com", {
  docs: "https://dev.frontapp.com/docs/create-and-revoke-api-tokens",
  declares: ["read", "write", "delete", "search"],
});
