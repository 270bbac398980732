/** How pipedrive is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Pipedrive", "https://api.pipedrive.com", {
  authorize: "https://oauth.pipedrive.com/oauth/authorize",
  token: "https://oauth.pipedrive.com/oauth/token",
  tokenAuth: "basic",
  declares: ["read", "write", "delete", "search"],
  defaultModule: "legacy",
  modules: {
    crm: { displayName: "Pipedrive CRM", baseURL: "https://api.pipedrive.com", support: supports() },
    legacy: {
      displayName: "Pipedrive (Legacy)",
      baseURL: "https://api.pipedrive.com",
      support: supports("read", "write"),
    },
  },
});
