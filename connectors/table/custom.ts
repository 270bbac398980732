/** Providers with a sign-in of their own: several headers, or steps. */
import { custom } from "../../connector-kit/provider/declare-provider.ts";
import type { ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const customProviders: Record<string, ProviderFacts> = {
  clariCopilot: custom("Clari Copilot", "https://rest-api.copilot.clari.com", {
    customOpts: {
      headers: [
        { name: "X-Api-Key", valueTemplate: "{{ .apiKey }}" },
        { name: "X-Api-Password", valueTemplate: "{{ .apiSecret }}" },
      ],
      inputs: [
        {
          name: "apiKey",
          displayName: "API Key",
          docsURL: "https://api-doc.copilot.clari.com/",
          fieldType: "fieldTypePassword",
        },
        {
          name: "apiSecret",
          displayName: "API Secret",
          docsURL: "https://api-doc.copilot.clari.com/",
          fieldType: "fieldTypePassword",
        },
      ],
    },
    declares: ["read", "write"],
  }),
  devrev: custom("DevRev", "https://api.devrev.ai", {
    customOpts: {
      headers: [{ name: "Authorization", valueTemplate: "Bearer {{.token}}" }],
      inputs: [
        {
          name: "token",
          displayName: "Personal Access Token",
          prompt: "A personal access token of a user who may read and write what you sync.",
          docsURL: "https://developer.devrev.ai/about/authentication",
        },
      ],
    },
    declares: ["read", "write"],
  }),
  discourse: custom("Discourse", "https://{{.workspace}}", {
    customOpts: {
      headers: [
        { name: "Api-Key", valueTemplate: "{{.apiKey}}" },
        { name: "Api-Username", valueTemplate: "{{.username}}" },
      ],
      inputs: [
        { name: "apiKey", displayName: "API Key", fieldType: "fieldTypePassword" },
        { name: "username", displayName: "API Username", fieldType: "fieldTypeText" },
      ],
    },
    inputs: [
      {
        name: "workspace",
        displayName: "Your domain",
        prompt: "The host of your forum, for example forum.acme.com.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  microsoftAdminConsent: custom("Microsoft (Admin consent)", "https://graph.microsoft.com", {
    customOpts: {
      multiStep: true,
      providerInputs: [
        { displayName: "Client ID", fieldType: "fieldTypeText", name: "clientId" },
        { displayName: "Client Secret", fieldType: "fieldTypePassword", name: "clientSecret" },
      ],
      connectSteps: [
        {
          redirect: {
            url: "https://login.microsoftonline.com/common/adminconsent",
            params: { client_id: "{{.clientId}}", redirect_uri: "{{.callbackURL}}", state: "{{.state}}" },
            expect: { admin_consent: "true" },
            metadata: { tenant: "tenant" },
          },
        },
        {
          request: {
            method: "POST",
            url: "https://login.microsoftonline.com/{{.tenant}}/oauth2/v2.0/token",
            form: {
              grant_type: "client_credentials",
              client_id: "{{.clientId}}",
              client_secret: "{{.clientSecret}}",
              scope: "https://graph.microsoft.com/.default",
            },
            take: { accessToken: "access_token" },
            expiresIn: "expires_in",
          },
        },
      ],
      refreshSteps: [
        {
          request: {
            method: "POST",
            url: "https://login.microsoftonline.com/{{.tenant}}/oauth2/v2.0/token",
            form: {
              grant_type: "client_credentials",
              client_id: "{{.clientId}}",
              client_secret: "{{.clientSecret}}",
              scope: "https://graph.microsoft.com/.default",
            },
            take: { accessToken: "access_token" },
            expiresIn: "expires_in",
          },
        },
      ],
      headers: [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }],
    },
    declares: ["read", "write"],
    authHealthCheck: { successStatusCodes: [200], url: "https://graph.microsoft.com/v1.0/organization" },
  }),
  // The three inputs are exchanged once for a user key that does not expire; the password is not stored.
  redtail: custom("Redtail CRM", "https://{{.region}}.redtailtechnology.com/api/public/v1", {
    customOpts: {
      multiStep: true,
      inputs: [
        { name: "apiKey", displayName: "API key", fieldType: "fieldTypePassword" },
        { name: "username", displayName: "User name", fieldType: "fieldTypeText" },
        { name: "password", displayName: "Password", fieldType: "fieldTypePassword" },
      ],
      connectSteps: [
        {
          request: {
            method: "GET",
            url: "https://{{.region}}.redtailtechnology.com/api/public/v1/authentication",
            basic: { username: "{{.apiKey}}", password: "{{.username}}:{{.password}}" },
            take: { userKey: "authenticated_user.user_key" },
            base64: { userKeyCredentials: "{{.apiKey}}:{{.userKey}}" },
          },
        },
      ],
      headers: [{ name: "Authorization", valueTemplate: "Userkeyauth {{.userKeyCredentials}}" }],
    },
    authHealthCheck: {
      url: "https://{{.region}}.redtailtechnology.com/api/public/v1/authentication",
      successStatusCodes: [200],
    },
    inputs: [
      {
        name: "region",
        displayName: "Region",
        defaultValue: "crm",
        prompt: "The part of the address you sign in at before redtailtechnology.com, for example crm.",
      },
    ],
  }),
  snowflake: custom("Snowflake", "https://{{.workspace}}.snowflakecomputing.com", {
    customOpts: {
      inputs: [{ name: "token", displayName: "Programmatic access token", fieldType: "fieldTypePassword" }],
      headers: [
        { name: "Authorization", valueTemplate: "Bearer {{.token}}" },
        { name: "X-Snowflake-Authorization-Token-Type", valueTemplate: "PROGRAMMATIC_ACCESS_TOKEN" },
      ],
    },
    declares: ["read"],
    features: { backfill: { fullHistoryOnly: true } },
    inputs: [
      {
        name: "workspace",
        displayName: "Account identifier",
        prompt: "The first part of your Snowflake address: acme-prod in acme-prod.snowflakecomputing.com.",
      },
    ],
  }),
};
