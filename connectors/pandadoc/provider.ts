/** How pandadoc is connected. Accounts in Europe are on servers of their own. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("PandaDoc", "https://api.{{.domain}}", "Authorization: API-Key ", {
  docs: "https://developers.pandadoc.com/reference/api-key-authentication-process",
  declares: ["read", "write", "delete", "search"],
  hostSuffixes: [".pandadoc.com", ".pandadoc.eu"],
  inputs: [
    {
      name: "domain",
      displayName: "Domain",
      prompt: "The end of your PandaDoc address: pandadoc.com, or pandadoc.eu for an account in Europe.",
      defaultValue: "pandadoc.com",
    },
  ],
  authHealthCheck: { url: "https://api.{{.domain}}/public/v1/members/current" },
});
