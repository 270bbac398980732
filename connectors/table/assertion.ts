/** Providers that exchange a signed assertion (RFC 7523) for an access token. */
import { assertion } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const assertionProviders: Record<string, ProviderFacts> = {
  bigquery: assertion("BigQuery", "https://bigquery.googleapis.com", {
    declares: ["read"],
    inputs: [
      {
        name: "projectId",
        displayName: "GCP Project ID",
        prompt: "The ID of the project, for example my-project-1, not its number.",
      },
      {
        name: "dataset",
        displayName: "Dataset Name",
        prompt: "The dataset to read from, for example analytics.",
      },
      {
        name: "timestampColumn",
        displayName: "Timestamp Column",
        prompt: "The column with the time of a change, for example updated_at.",
      },
    ],
    asks: [
      {
        name: "serviceAccountKey",
        displayName: "Service account key (JSON file, in Base64)",
        fieldType: "fieldTypePassword",
      },
    ],
    tokenRequest: {
      method: "POST",
      url: "https://oauth2.googleapis.com/token",
      unpack: { from: "serviceAccountKey", take: { clientEmail: "client_email", privateKey: "private_key" } },
      assertion: {
        algorithm: "RS256",
        key: "{{.privateKey}}",
        claims: {
          iss: "{{.clientEmail}}",
          scope: "https://www.googleapis.com/auth/bigquery",
          aud: "https://oauth2.googleapis.com/token",
        },
        lifetimeSeconds: 3600,
      },
      form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "{{.assertion}}" },
      take: { accessToken: "access_token" },
      expiresIn: "expires_in",
    },
  }),
  googleWorkspaceDelegation: assertion("Google Workspace (delegation)", "https://www.googleapis.com", {
    declares: ["read", "write"],
    defaultModule: "calendar",
    inputs: [
      {
        name: "userEmail",
        displayName: "User Email",
        prompt: "The address of the user whose data is used; the service account acts as that user.",
        moduleDependencies: { calendar: {}, contacts: {}, gmail: {} },
      },
    ],
    asks: [
      {
        name: "serviceAccountKey",
        displayName: "Service account key (JSON file, in Base64)",
        fieldType: "fieldTypePassword",
      },
    ],
    tokenRequest: {
      method: "POST",
      url: "https://oauth2.googleapis.com/token",
      unpack: { from: "serviceAccountKey", take: { clientEmail: "client_email", privateKey: "private_key" } },
      assertion: {
        algorithm: "RS256",
        key: "{{.privateKey}}",
        claims: {
          iss: "{{.clientEmail}}",
          sub: "{{.userEmail}}",
          scope:
            "https://www.googleapis.com/auth/calendar https://www.googleapis.com/auth/gmail.modify https://www.googleapis.com/auth/contacts",
          aud: "https://oauth2.googleapis.com/token",
        },
        lifetimeSeconds: 3600,
      },
      form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "{{.assertion}}" },
      take: { accessToken: "access_token" },
      expiresIn: "expires_in",
    },
    modules: {
      calendar: {
        displayName: "Google Calendar",
        baseURL: "https://www.googleapis.com/calendar",
        support: supports("read", "write"),
        features: { backfill: { mostDays: { events: 28 } } },
      },
      contacts: {
        displayName: "Google Contacts",
        baseURL: "https://people.googleapis.com",
        support: supports(),
      },
      gmail: {
        displayName: "Gmail",
        baseURL: "https://gmail.googleapis.com/gmail",
        support: supports("read", "write"),
      },
    },
  }),
  netsuiteM2M: assertion(
    "NetSuite (machine to machine)",
    "https://{{.workspace}}.suitetalk.api.netsuite.com",
    {
      declares: ["read", "write", "search"],
      defaultModule: "restapi",
      inputs: [
        {
          name: "workspace",
          displayName: "Netsuite URL Prefix",
          prompt: "The first part of your NetSuite address: 1234567-sb in 1234567-sb.app.netsuite.com.",
          docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1498251763.html",
          moduleDependencies: { restapi: {}, restlet: {}, suiteql: {} },
        },
        {
          name: "scriptURL",
          displayName: "RESTlet Deployment URL",
          prompt: "The address of the RESTlet's deployment, from its tab Deployments.",
          moduleDependencies: { restlet: {} },
        },
      ],
      metadata: {
        postAuthentication: [
          { moduleDependencies: { restapi: {}, restlet: {}, suiteql: {} }, name: "sessionTimezone" },
          { moduleDependencies: { restapi: {}, restlet: {}, suiteql: {} }, name: "sessionTimezoneIsDefault" },
        ],
      },
      asks: [
        { name: "clientId", displayName: "Client ID", fieldType: "fieldTypeText" },
        { name: "certificateId", displayName: "Certificate ID", fieldType: "fieldTypeText" },
        { name: "privateKey", displayName: "Private key (PEM, in Base64)", fieldType: "fieldTypePassword" },
      ],
      tokenRequest: {
        method: "POST",
        url: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token",
        assertion: {
          algorithm: "PS256",
          key: "{{.privateKey}}",
          keyId: "{{.certificateId}}",
          claims: {
            iss: "{{.clientId}}",
            scope: "restlets rest_webservices",
            aud: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token",
          },
          lifetimeSeconds: 300,
        },
        form: {
          grant_type: "client_credentials",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: "{{.assertion}}",
        },
        take: { accessToken: "access_token" },
        expiresIn: "expires_in",
      },
      modules: {
        restapi: {
          displayName: "Netsuite M2M (REST API)",
          baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/record",
          support: supports("read", "write"),
        },
        restlet: {
          displayName: "Netsuite M2M (RESTlet)",
          baseURL: "https://{{.workspace}}.restlets.api.netsuite.com",
          support: supports("read", "write", "search"),
        },
        suiteql: {
          displayName: "Netsuite M2M (SuiteQL)",
          baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/query",
          support: supports("read"),
        },
      },
    },
  ),
  salesforceJWT: assertion("Salesforce (JWT)", "https://{{.workspace}}.my.salesforce.com", {
    declares: ["read", "write", "subscribe", "delete", "search"],
    defaultModule: "crm",
    authHealthCheck: {
      successStatusCodes: [200],
      url: "https://{{.workspace}}.my.salesforce.com/services/oauth2/userinfo",
    },
    inputs: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt:
          "The part before .my.salesforce.com in your address: acme, or acme--uat.sandbox for a sandbox.",
        docsURL:
          "https://help.salesforce.com/s/articleView?language=en_US&id=sf.faq_domain_name_what.htm&type=5",
        moduleDependencies: { crm: {} },
      },
    ],
    asks: [
      { name: "clientId", displayName: "Consumer Key", fieldType: "fieldTypeText" },
      { name: "username", displayName: "Salesforce Username", fieldType: "fieldTypeText" },
      { name: "privateKey", displayName: "Private key (PEM, in Base64)", fieldType: "fieldTypePassword" },
    ],
    tokenRequest: {
      method: "POST",
      url: "https://{{.workspace}}.my.salesforce.com/services/oauth2/token",
      assertion: {
        algorithm: "RS256",
        key: "{{.privateKey}}",
        claims: {
          iss: "{{.clientId}}",
          sub: "{{.username}}",
          aud: "https://{{.workspace}}.my.salesforce.com",
        },
        lifetimeSeconds: 180,
      },
      form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "{{.assertion}}" },
      take: { accessToken: "access_token" },
    },
    modules: {
      crm: {
        displayName: "Salesforce",
        baseURL: "https://{{.workspace}}.my.salesforce.com",
        support: supports("read", "write", "subscribe", "delete", "search"),
      },
    },
  }),
};
