/** How github is connected. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("GitHub", "https://api.github.com", {
  authorize: "https://github.com/login/oauth/authorize",
  token: "https://github.com/login/oauth/access_token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [
    { name: "X-GitHub-Api-Version", valueTemplate: "2022-11-28" },
    { name: "User-Agent", valueTemplate: "Busbar" },
  ],
});
