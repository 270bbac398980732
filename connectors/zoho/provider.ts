/** Facts about Zoho. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Zoho",
  authType: "oauth2",
  baseURL: "https://{{.zoho_api_domain}}",
  hostSuffixes: [
    ".zohoapis.com",
    ".zohoapis.eu",
    ".zohoapis.in",
    ".zohoapis.com.au",
    ".zohoapis.jp",
    ".zohoapis.ca",
    ".zohoapis.sa",
    ".zohoapis.com.cn",
    "accounts.zoho.com",
    "accounts.zoho.eu",
    "accounts.zoho.in",
    "accounts.zoho.com.au",
    "accounts.zoho.jp",
    "accounts.zoho.sa",
    "accounts.zoho.com.cn",
    "accounts.zohocloud.ca",
    ".zoho.com",
    ".zoho.eu",
  ],
  defaultModule: "crm",
  support: supports("read", "write", "proxy", "subscribe"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.zoho_token_domain}}/oauth/v2/auth",
    authURLParams: { access_type: "offline" },
    tokenURL: "https://{{.zoho_token_domain}}/oauth/v2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: {
      workspaceRefField: "api_domain",
      scopesField: "scope",
      otherFields: [
        {
          name: "zoho_api_domain",
          displayName: "API domain",
          path: "api_domain",
          capture: "^https://(?<result>[^/]+)",
        },
      ],
    },
  },
  metadata: {
    // Decides every host, and only the customer knows it before sign-in. Hosts: general knowledge.
    input: [
      {
        name: "zoho_token_domain",
        displayName: "Sign-in host",
        prompt: "The host you sign in at: accounts.zoho.com, accounts.zoho.eu, accounts.zoho.in, …",
        defaultValue: "accounts.zoho.com",
      },
    ],
  },
  modules: {
    bugtracker: {
      displayName: "Zoho BugTracker",
      baseURL: "https://bugtracker.zoho.com",
      support: supports(),
    },
    crm: {
      displayName: "Zoho CRM",
      baseURL: "https://{{.zoho_api_domain}}",
      support: supports("read", "write", "subscribe"),
    },
    projects: {
      displayName: "Zoho Projects",
      baseURL: "https://projectsapi.zoho.com",
      support: supports(),
    },
  },
});
