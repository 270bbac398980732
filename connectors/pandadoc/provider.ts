/** How pandadoc is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("PandaDoc", "https://api.pandadoc.com", "Authorization: API-Key ", {
  docs: "https://developers.pandadoc.com/reference/api-key-authentication-process",
  declares: ["read", "write", "delete", "search"],
  authHealthCheck: { url: "https://api.pandadoc.com/public/v1/members/current" },
});
