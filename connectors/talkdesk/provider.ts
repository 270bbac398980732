/** Facts about Talkdesk. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Talkdesk",
  authType: "oauth2",
  baseURL: "https://{{.talkdesk_api_domain}}",
  hostSuffixes: [
    ".talkdeskapp.com",
    ".talkdeskapp.eu",
    ".talkdeskappca.com",
    ".talkdeskid.com",
    ".talkdeskid.eu",
    ".talkdeskidca.com",
  ],
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.{{.talkdesk_token_domain}}/oauth/authorize",
    tokenURL: "https://{{.workspace}}.{{.talkdesk_token_domain}}/oauth/token",
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Account name",
        prompt: "The first part of your Talkdesk address: acme in acme.mytalkdesk.com.",
      },
      {
        name: "talkdesk_api_domain",
        displayName: "Talkdesk API Domain",
        prompt: "The API host of your region, for example api.talkdeskapp.eu.",
        defaultValue: "api.talkdeskapp.com",
        docsURL:
          "https://docs.talkdesk.com/docs/how-to-guarantee-your-app-works-in-all-regions#supported-regions-and-base-urls",
      },
      {
        name: "talkdesk_token_domain",
        displayName: "Talkdesk Token Domain",
        prompt: "The sign-in domain of your region, for example talkdeskid.eu.",
        defaultValue: "talkdeskid.com",
        docsURL: "https://docs.talkdesk.com/reference/authorization-code-basic-post",
      },
    ],
  },
});
