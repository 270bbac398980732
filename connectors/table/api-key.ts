/** Providers that take an API key in a header or a query parameter. */
import { bearerKey, headerKey, queryKey } from "../../connector-kit/provider/declare-provider.ts";
import type { ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const apiKeyProviders: Record<string, ProviderFacts> = {
  accuLynx: bearerKey("AccuLynx", "https://api.acculynx.com", {
    docs: "https://apidocs.acculynx.com/docs/authentication",
    declares: ["read", "write", "subscribe"],
    subscribeRequirements: { subscribeByAPI: true },
  }),
  activeCampaign: headerKey("ActiveCampaign", "https://{{.workspace}}.api-us1.com", "Api-Token", {
    docs: "https://developers.activecampaign.com/reference/authentication",
    inputs: [
      {
        name: "workspace",
        displayName: "Account name",
        prompt: "The first part of your API address: acme in acme.api-us1.com.",
        docsURL: "https://help.activecampaign.com/hc/en-us/articles/207341950-What-is-my-account-name",
      },
    ],
  }),
  amplemarket: bearerKey("Amplemarket", "https://api.amplemarket.com", {
    docs: "https://docs.amplemarket.com/guides/quickstart",
  }),
  anthropic: headerKey("Anthropic", "https://api.anthropic.com", "x-api-key", {
    docs: "https://docs.anthropic.com/en/api/getting-started#authentication",
    fixedHeaders: [{ name: "anthropic-version", valueTemplate: "2023-06-01" }],
  }),
  avoma: bearerKey("Avoma", "https://api.avoma.com", {
    docs: "https://help.avoma.com/api-integration-for-avoma",
    declares: ["read", "write"],
  }),
  bird: headerKey("Bird (MessageBird)", "https://api.bird.com", "Authorization: AccessKey ", {
    docs: "https://docs.bird.com/api",
  }),
  braze: bearerKey("Braze", "https://rest.{{.workspace}}.braze.com", {
    docs: "https://www.braze.com/docs/api/basics/#creating-rest-api-keys",
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Instance ID",
        prompt: "The instance in your REST endpoint: iad-01 in rest.iad-01.braze.com.",
      },
    ],
  }),
  breakcold: headerKey("Breakcold", "https://api.breakcold.com/rest", "X-API-KEY", {
    docs: "https://developer.breakcold.com/v3/api-reference/introduction#authentication",
    declares: ["read", "write"],
  }),
  breezy: headerKey("Breezy HR", "https://api.breezy.hr", "Authorization", {
    docs: "https://developer.breezy.hr/reference/authorization",
    authHealthCheck: { successStatusCodes: [200], url: "https://api.breezy.hr/v3/companies" },
    inputs: [
      {
        name: "company_id",
        displayName: "Company ID",
        prompt: "The `_id` of your company, as GET /v3/companies returns it.",
        docsURL: "https://developer.breezy.hr/reference/customer-guide",
      },
    ],
  }),
  // The key stands in quotes.
  callRail: headerKey("CallRail", "https://api.callrail.com", "Authorization: Token token=", {
    docs: "https://apidocs.callrail.com/#getting-started",
    labels: { experimental: "true" },
    metadata: { postAuthentication: [{ name: "accountId" }] },
    postAuthInfoNeeded: true,
    accountInfo: {
      url: "https://api.callrail.com/v3/a.json",
      fields: [{ name: "accountId", displayName: "Account ID", path: "accounts.0.id" }],
      workspaceField: "accountId",
    },
  }),
  chilipiper: bearerKey("Chili Piper", "https://fire.chilipiper.com", { declares: ["read", "write"] }),
  clari: headerKey("Clari", "https://api.clari.com", "apiKey", {
    docs: "https://developer.clari.com/documentation/external_spec",
  }),
  coda: bearerKey("Coda", "https://coda.io/apis", {
    docs: "https://coda.io/developers/apis/v1#section/Introduction",
  }),
  crunchbase: headerKey("Crunchbase", "https://api.crunchbase.com", "X-cb-user-key", {
    docs: "https://data.crunchbase.com/docs/getting-started",
  }),
  customerJourneysApp: bearerKey("Customer.io Journeys App", "https://api.customer.io", {
    docs: "https://customer.io/docs/api/app/#section/Authentication",
    declares: ["read", "write"],
  }),
  dixa: headerKey("Dixa", "https://dev.dixa.io", "Authorization", {
    docs: "https://docs.dixa.io/docs/api-standards-rules/#authentication",
    declares: ["read", "write"],
  }),
  dovetail: headerKey("Dovetail", "https://dovetail.com/api", "authorization: Bearer ", {
    docs: "https://developers.dovetail.com/docs/authorization",
  }),
  emailBison: bearerKey("EmailBison", "https://{{.workspace}}/api", {
    inputs: [
      {
        name: "workspace",
        displayName: "Domain",
        prompt: "The host you use EmailBison at, for example send.acme.com.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  fathom: headerKey("Fathom", "https://api.fathom.ai", "X-Api-Key", {
    docs: "https://developers.fathom.ai/quickstart",
    declares: ["read", "write"],
  }),
  fireflies: bearerKey("Fireflies", "https://api.fireflies.ai", {
    docs: "https://docs.fireflies.ai/fundamentals/authorization#acquiring-a-token",
    declares: ["read", "write"],
  }),
  flatfile: bearerKey("Flatfile", "https://api.x.flatfile.com", {
    docs: "https://reference.flatfile.com/overview/welcome",
    declares: ["read", "write"],
  }),
  freshchat: bearerKey("Freshchat", "https://{{.workspace}}.freshchat.com", {
    inputs: [
      {
        name: "workspace",
        displayName: "Account name",
        prompt: "The first part of your Freshchat address: acme in acme.freshchat.com.",
      },
    ],
  }),
  freshsales: headerKey(
    "Freshsales",
    "https://{{.workspace}}.myfreshworks.com/crm/sales",
    "Authorization: Token token=",
    {
      docs: "https://developers.freshworks.com/crm/api/#authentication",
      inputs: [
        {
          name: "workspace",
          displayName: "Account name",
          prompt: "The first part of your Freshsales address: acme in acme.myfreshworks.com.",
        },
      ],
    },
  ),
  g2: bearerKey("G2", "https://data.g2.com", { docs: "https://data.g2.com/api/docs?shell#g2-v2-api" }),
  granola: bearerKey("Granola", "https://public-api.granola.ai", {
    docs: "https://docs.granola.ai/help-center/sharing/integrations/enterprise-api#how-does-authentication-work",
    declares: ["read"],
  }),
  happyfox: bearerKey("HappyFox", "https://api.happyfoxchat.com", {
    docs: "https://developer.happyfoxchat.com/#authentication",
    declares: ["read"],
  }),
  heyreach: headerKey("HeyReach", "https://api.heyreach.io/api", "X-API-KEY", {
    declares: ["read", "write"],
  }),
  hightouch: bearerKey("Hightouch", "https://api.hightouch.com", {
    docs: "https://hightouch.com/docs/api-reference#section/Authentication",
  }),
  hive: headerKey("Hive", "https://app.hive.com", "api_key", {
    docs: "https://developers.hive.com/reference/api-keys-and-auth",
  }),
  housecallPro: headerKey("Housecall Pro", "https://api.housecallpro.com", "Authorization: Token ", {
    docs: "https://docs.housecallpro.com/docs/housecall-public-api/b87d37ae48a0d-authentication",
    declares: ["read", "write", "subscribe"],
  }),
  instantly: queryKey("Instantly (Legacy V1)", "https://api.instantly.ai/api", "api_key", {
    docs: "https://developer.instantly.ai/introduction",
    declares: ["read", "write"],
  }),
  jotform: queryKey("Jotform", "https://api.jotform.com", "apiKey", {
    docs: "https://api.jotform.com/docs/#authentication",
  }),
  jump: bearerKey("Jump", "https://my.jumpapp.com/enterprise/graphql", {
    docs: "https://my.jumpapp.com/enterprise/documentation/authentication",
  }),
  justCall: headerKey("JustCall", "https://api.justcall.io", "Authorization", {
    docs: "https://developer.justcall.io/reference/authentication",
    declares: ["read", "write"],
  }),
  lemlist: queryKey("Lemlist", "https://api.lemlist.com", "access_token", {
    docs: "https://developer.lemlist.com",
    declares: ["read", "write"],
  }),
  livestorm: headerKey("Livestorm", "https://api.livestorm.co", "Authorization", {
    docs: "https://developers.livestorm.co/docs/api-token-authentication",
    fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.api+json" }],
  }),
  loxo: bearerKey("Loxo", "https://{{.workspace}}/api", {
    docs: "https://help.loxo.co/en/articles/446640-loxo-s-open-api#h_668904ffbd",
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Full Domain",
        prompt: "The host you use Loxo at, for example app.loxo.co.",
      },
      {
        name: "agencySlug",
        displayName: "Agency Slug",
        prompt: "The name of your agency as it stands in addresses.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  mixmax: headerKey("Mixmax", "https://api.mixmax.com", "X-API-Token", {
    docs: "https://developer.mixmax.com/reference/getting-started-with-the-api",
    declares: ["read", "write"],
  }),
  monaco: bearerKey("Monaco", "https://api.monaco.com", {
    docs: "https://docs.monaco.com/auth",
    authHealthCheck: { successStatusCodes: [200], url: "https://api.monaco.com/v1/me" },
  }),
  odoo: bearerKey("Odoo", "https://{{.workspace}}", {
    docs: "https://www.odoo.com/documentation/19.0/developer/reference/external_api.html#configuration",
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "API Domain",
        prompt: "The host of your Odoo, for example acme.odoo.com.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  openAI: bearerKey("OpenAI", "https://api.openai.com", {
    docs: "https://platform.openai.com/docs/api-reference/api-keys",
  }),
  paddle: bearerKey("Paddle", "https://api.paddle.com", {
    docs: "https://developer.paddle.com/api-reference/about/authentication",
    declares: ["read", "write"],
  }),
  paddleSandbox: bearerKey("Paddle Sandbox", "https://sandbox-api.paddle.com", {
    docs: "https://developer.paddle.com/api-reference/about/authentication",
  }),
  rebilly: headerKey("Rebilly", "https://api.rebilly.com", "REB-APIKEY", {
    docs: "https://www.rebilly.com/catalog/all/section/authentication/manage-api-keys",
  }),
  reply: bearerKey("Reply", "https://api.reply.io", {
    docs: "https://docs.reply.io/api-reference/authentication",
    authHealthCheck: { successStatusCodes: [200], url: "https://api.reply.io/v3/whoami" },
  }),
  revenueCat: bearerKey("RevenueCat", "https://api.revenuecat.com", {
    docs: "https://www.revenuecat.com/docs",
    declares: ["read", "write"],
    inputs: [
      {
        name: "project_id",
        displayName: "Project ID",
        prompt: "The ID of the project, from its settings; it begins with proj.",
        docsURL: "https://www.revenuecat.com/docs/api-v2#tag/Project",
      },
    ],
  }),
  ringOverEU: headerKey("RingOver (EU)", "https://public-api.ringover.com", "Authorization", {
    docs: "https://developer.ringover.com",
  }),
  ringOverUS: headerKey("RingOver (US)", "https://public-api-us.ringover.com", "Authorization", {
    docs: "https://developer.ringover.com",
  }),
  salesfinity: headerKey("Salesfinity", "https://client-api.salesfinity.co", "x-api-key", {
    docs: "https://docs.salesfinity.ai/api-reference/introduction#authentication",
    declares: ["read", "write"],
  }),
  segment: bearerKey("Segment", "https://api.segmentapis.com", {
    docs: "https://docs.segmentapis.com/tag/Getting-Started#section/Get-an-API-token",
  }),
  smartlead: queryKey("Smartlead", "https://server.smartlead.ai/api", "api_key", {
    docs: "https://api.smartlead.ai/reference/authentication",
    declares: ["read", "write"],
  }),
  superSend: bearerKey("Super Send", "https://api.supersend.io", {
    docs: "https://docs.supersend.io/docs/authentication",
    declares: ["read", "write"],
  }),
  wealthbox: headerKey("Wealthbox", "https://api.crmworkspace.com", "ACCESS_TOKEN", {
    docs: "https://dev.wealthbox.com/#topics-authentication",
  }),
  whereby: bearerKey("Whereby", "https://api.whereby.dev", {
    docs: "https://docs.whereby.com/whereby-101/readme/get-started-in-3-steps#step-1-generate-an-api-key",
  }),
};
