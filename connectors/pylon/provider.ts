/** How pylon is connected. */
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Pylon", "https://api.usepylon.com", {
  docs: "https://docs.usepylon.com/pylon-docs/developer/api",
  declares: ["read", "write", "delete", "search"],
});
