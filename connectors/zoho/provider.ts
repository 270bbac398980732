/** Facts about Zoho. */
import { defineProvider, supports } from "../../connector-kit/provider/define-provider.ts";

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
    ".zoho.in",
    ".zoho.com.au",
    ".zoho.jp",
    ".zoho.sa",
    ".zoho.com.cn",
    ".zohocloud.ca",
    "sdpondemand.manageengine.com",
    "sdpondemand.manageengine.eu",
    "sdpondemand.manageengine.in",
  ],
  defaultModule: "crm",
  support: supports("read", "write", "proxy", "subscribe", "delete", "search"),
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
      {
        name: "zoho_desk_domain",
        displayName: "Desk host",
        prompt: "The host of Zoho Desk: desk.zoho.com, desk.zoho.eu, desk.zoho.in, …",
        defaultValue: "desk.zoho.com",
        moduleDependencies: { desk: {} },
      },
      {
        name: "zoho_mail_domain",
        displayName: "Mail host",
        prompt: "The host of Zoho Mail: mail.zoho.com, mail.zoho.eu, mail.zoho.in, …",
        defaultValue: "mail.zoho.com",
        moduleDependencies: { mail: {} },
      },
      {
        name: "zoho_servicedeskplus_domain",
        displayName: "ServiceDesk Plus host",
        prompt: "The host of ServiceDesk Plus: sdpondemand.manageengine.com, sdpondemand.manageengine.eu, …",
        defaultValue: "sdpondemand.manageengine.com",
        moduleDependencies: { servicedeskplus: {} },
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
      support: supports("read", "write", "subscribe", "delete", "search"),
    },
    desk: {
      displayName: "Zoho Desk",
      baseURL: "https://{{.zoho_desk_domain}}",
      support: supports("read", "write"),
    },
    mail: {
      displayName: "Zoho Mail",
      baseURL: "https://{{.zoho_mail_domain}}",
      support: supports("read", "write", "subscribe"),
    },
    projects: {
      displayName: "Zoho Projects",
      baseURL: "https://projectsapi.zoho.com",
      support: supports(),
    },
    servicedeskplus: {
      displayName: "Zoho ServiceDesk Plus",
      baseURL: "https://{{.zoho_servicedeskplus_domain}}",
      support: supports(),
    },
  },
});
