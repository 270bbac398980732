/** How microsoft is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Microsoft", "https://graph.microsoft.com", {
  authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
  token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  needsScopes: true,
  declares: ["read", "write", "subscribe", "delete", "search", batchWrite(20)],
});
