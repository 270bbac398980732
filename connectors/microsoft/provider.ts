/** How microsoft is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

/** The value of `Prefer` with which Microsoft Graph tells ids that stay the same when an item moves to another folder. */
export const IMMUTABLE_IDS = 'IdType="ImmutableId"';

export const provider = oauth2("Microsoft", "https://graph.microsoft.com", {
  authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
  token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  needsScopes: true,
  declares: ["read", "write", "subscribe", "delete", "search", batchWrite(20)],
  // The ids of Outlook's items change otherwise when an item moves to another folder.
  fixedHeaders: [{ name: "Prefer", valueTemplate: IMMUTABLE_IDS }],
});
