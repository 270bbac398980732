/** Facts about Bitbucket. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Bitbucket",
  authType: "oauth2",
  baseURL: "https://api.bitbucket.org",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://bitbucket.org/site/oauth2/authorize",
    tokenURL: "https://bitbucket.org/site/oauth2/access_token",
    // General knowledge: client id and secret are sent as HTTP Basic.
    tokenAuthStyle: "basic",
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Workspace",
        prompt: "The workspace id in your Bitbucket address: acme in bitbucket.org/acme.",
      },
    ],
  },
});
