/** Providers with OAuth 2, S to Z. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2SToZ: Record<string, ProviderFacts> = {
  sageIntacct: oauth2("Sage Intacct", "https://api.intacct.com", {
    authorize: "https://api.intacct.com/ia/api/v1/oauth2/authorize",
    token: "https://api.intacct.com/ia/api/v1/oauth2/token",
    oauth: {
      docsURL: "https://developer.sage.com/intacct/docs/developer-portal/getting-started/quick-start",
    },
    declares: ["read", "write"],
  }),
  salesforceMarketing: oauth2(
    "Salesforce Marketing Cloud",
    "https://{{.workspace}}.rest.marketingcloudapis.com",
    {
      grant: "clientCredentials",
      token: "https://{{.workspace}}.auth.marketingcloudapis.com/v2/token",
      tokenFields: { scopesField: "scope" },
      oauth: { explicitWorkspaceRequired: true },
      inputs: [
        {
          name: "workspace",
          displayName: "Subdomain",
          prompt:
            "The first part of your Salesforce Marketing Cloud address: acme in acme.rest.marketingcloudapis.com.",
          docsURL:
            "https://help.salesforce.com/s/articleView?language=en_US&id=sf.faq_domain_name_what.htm&type=5",
        },
      ],
    },
  ),
  seismic: oauth2("Seismic", "https://api.seismic.com", {
    authorize: "https://auth.seismic.com/tenants/{{.workspace}}/connect/authorize",
    token: "https://auth.seismic.com/tenants/{{.workspace}}/connect/token",
    needsScopes: true,
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read"],
    defaultModule: "reporting",
    inputs: [
      {
        name: "workspace",
        displayName: "Tenant",
        prompt: "The name of your Seismic tenant.",
        moduleDependencies: { integration: {}, reporting: {} },
      },
    ],
    modules: {
      integration: {
        displayName: "Seismic Integration",
        baseURL: "https://api.seismic.com/integration",
        support: supports(),
      },
      reporting: {
        displayName: "Seismic Reporting",
        baseURL: "https://api.seismic.com/reporting",
        support: supports("read"),
      },
    },
  }),
  sellsy: oauth2("Sellsy", "https://api.sellsy.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://login.sellsy.com/oauth2/authorization",
    token: "https://login.sellsy.com/oauth2/access-tokens",
    declares: ["read", "write"],
  }),
  serviceNowPKCE: oauth2("ServiceNow PKCE", "https://{{.workspace}}.service-now.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://{{.workspace}}.service-now.com/oauth_auth.do",
    token: "https://{{.workspace}}.service-now.com/oauth_token.do",
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Instance",
        prompt: "The first part of your ServiceNow PKCE address: acme in acme.service-now.com.",
      },
    ],
  }),
  // Errors come with status 200 and `ok: false`.
  smartsheet: oauth2("Smartsheet", "https://api.smartsheet.com", {
    authorize: "https://app.smartsheet.com/b/authorize",
    token: "https://api.smartsheet.com/2.0/token",
    needsScopes: true,
  }),
  snapchatAds: oauth2("Snapchat Ads", "https://adsapi.snapchat.com", {
    authorize: "https://accounts.snapchat.com/login/oauth2/authorize",
    token: "https://accounts.snapchat.com/login/oauth2/access_token",
    needsScopes: true,
    declares: ["read", "write"],
    postAuthInfoNeeded: true,
    metadata: { postAuthentication: [{ name: "organizationId" }] },
    accountInfo: {
      url: "https://adsapi.snapchat.com/v1/me",
      fields: [{ name: "organizationId", displayName: "Organization ID", path: "me.organization_id" }],
      workspaceField: "organizationId",
    },
  }),
  squareSandbox: oauth2("Square Sandbox", "https://connect.squareupsandbox.com", {
    authorize: "https://connect.squareupsandbox.com/oauth2/authorize",
    token: "https://connect.squareupsandbox.com/oauth2/token",
    needsScopes: true,
    tokenFields: { consumerRefField: "merchant_id" },
    oauth: { docsURL: "https://developer.squareup.com/docs/devtools/sandbox/overview" },
    declares: ["read", "write"],
  }),
  stackExchange: oauth2("StackExchange", "https://api.stackexchange.com", {
    authorize: "https://stackoverflow.com/oauth",
    token: "https://stackoverflow.com/oauth/access_token/json",
    needsScopes: true,
  }),
  // The host is the customer's own.
  sugarCRM: oauth2("SugarCRM", "https://{{.workspace}}/rest/v11_24", {
    grant: "password",
    token: "https://{{.workspace}}/rest/v11_24/oauth2/token",
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Base URL",
        prompt: "The host of your SugarCRM, for example acme.sugarondemand.com.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  surveyMonkey: oauth2("SurveyMonkey", "https://api.surveymonkey.com", {
    authorize: "https://api.surveymonkey.com/oauth/authorize",
    token: "https://api.surveymonkey.com/oauth/token",
  }),
  talkdesk: oauth2("Talkdesk", "https://{{.talkdesk_api_domain}}", {
    authorize: "https://{{.workspace}}.{{.talkdesk_token_domain}}/oauth/authorize",
    token: "https://{{.workspace}}.{{.talkdesk_token_domain}}/oauth/token",
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write"],
    hostSuffixes: [
      ".talkdeskapp.com",
      ".talkdeskapp.eu",
      ".talkdeskappca.com",
      ".talkdeskid.com",
      ".talkdeskid.eu",
      ".talkdeskidca.com",
    ],
    inputs: [
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
  }),
  teamleader: oauth2("Teamleader", "https://api.focus.teamleader.eu", {
    authorize: "https://focus.teamleader.eu/oauth2/authorize",
    token: "https://focus.teamleader.eu/oauth2/access_token",
    declares: ["read", "write"],
  }),
  teamwork: oauth2("Teamwork", "https://{{.workspace}}.teamwork.com", {
    authorize: "https://www.teamwork.com/launchpad/login",
    token: "https://www.teamwork.com/launchpad/v1/token.json",
    tokenFields: { consumerRefField: "user.id" },
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Site name",
        prompt: "The first part of your Teamwork address: acme in acme.teamwork.com.",
      },
    ],
  }),
  timely: oauth2("Timely", "https://api.timelyapp.com", {
    authorize: "https://api.timelyapp.com/1.1/oauth/authorize",
    token: "https://api.timelyapp.com/1.1/oauth/token",
    tokenFields: { scopesField: "scope" },
  }),
  tipalti: oauth2("Tipalti", "https://api-p.tipalti.com", {
    authorize: "https://sso.tipalti.com/connect/authorize/callback",
    token: "https://sso.tipalti.com/connect/token",
    needsScopes: true,
  }),
  typeform: oauth2("Typeform", "https://api.typeform.com", {
    authorize: "https://api.typeform.com/oauth/authorize",
    token: "https://api.typeform.com/oauth/token",
    needsScopes: true,
  }),
  webflow: oauth2("Webflow", "https://api.webflow.com", {
    authorize: "https://webflow.com/oauth/authorize",
    token: "https://api.webflow.com/oauth/access_token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
  }),
  wordPress: oauth2("WordPress", "https://public-api.wordpress.com", {
    authorize: "https://public-api.wordpress.com/oauth2/authorize",
    token: "https://public-api.wordpress.com/oauth2/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
  }),
  workday: oauth2("Workday", "https://{{.workspace}}.workday.com", {
    authorize: "https://{{.workspace}}.workday.com/ccx/oauth2/{{.tenantName}}/authorize",
    token: "https://{{.workspace}}.workday.com/ccx/oauth2/{{.tenantName}}/token",
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Workday Host",
        prompt: "The first part of your Workday host: wd2-impl-services1 in wd2-impl-services1.workday.com.",
        docsURL: "https://doc.workday.com/",
      },
      {
        name: "tenantName",
        displayName: "Tenant Name",
        prompt: "The name of your Workday tenant.",
        docsURL: "https://doc.workday.com/",
      },
    ],
  }),
  wrike: oauth2("Wrike", "https://www.wrike.com/api", {
    authorize: "https://www.wrike.com/oauth2/authorize",
    token: "https://www.wrike.com/oauth2/token",
    needsScopes: true,
  }),
  zendeskChat: oauth2("Zendesk Chat", "https://{{.workspace}}.zendesk.com", {
    authorize: "https://{{.workspace}}.zendesk.com/oauth2/chat/authorizations/new",
    token: "https://{{.workspace}}.zendesk.com/oauth2/chat/token",
    needsScopes: true,
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The first part of your Zendesk Chat address: acme in acme.zendesk.com.",
      },
    ],
  }),
  zoomInfo: oauth2("ZoomInfo", "https://api.zoominfo.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://api.zoominfo.com/gtm/oauth/v1/authorize",
    token: "https://api.zoominfo.com/gtm/oauth/v1/token",
    tokenFields: { scopesField: "scope" },
    declares: ["read", "write"],
    fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.api+json" }],
  }),
  zuora: oauth2("Zuora", "https://{{.workspace}}.zuora.com", {
    grant: "clientCredentials",
    token: "https://{{.workspace}}.zuora.com/oauth/token",
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Workspace",
        prompt: "The host of your tenant before zuora.com, for example rest or rest.eu.",
      },
    ],
  }),
};
