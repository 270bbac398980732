/** Facts about Salesforce. */
import {
  batchWrite,
  bulkWrite,
  defineProvider,
  supports,
} from "../../connector-kit/provider/define-provider.ts";

/** Standard objects whose names resemble those of no other one. */
const STANDARD_OBJECTS = [
  "Account",
  "Contact",
  "Contract",
  "Opportunity",
  "OpportunityContactRole",
  "OpportunityLineItem",
  "Campaign",
  "CampaignMember",
  "EmailMessage",
  "Pricebook2",
  "PricebookEntry",
  "Product2",
];

const crm = supports(
  "read",
  "write",
  "proxy",
  "subscribe",
  "delete",
  "search",
  batchWrite(100),
  bulkWrite("upsert", "delete"),
);

export const provider = defineProvider({
  displayName: "Salesforce",
  authType: "oauth2",
  baseURL: "https://{{.workspace}}.my.salesforce.com",
  pubSubURL: "https://api.pubsub.salesforce.com:7443",
  // Where `instance_url` of a token answer may point: commercial, government, military and Chinese clouds.
  hostSuffixes: [
    ".my.salesforce.com",
    ".salesforce.com",
    ".cloudforce.com",
    ".my.salesforce.mil",
    ".my.sfcrmproducts.cn",
    ".sfcrmapps.cn",
  ],
  defaultModule: "crm",
  support: crm,
  features: { quotaOptimization: true, subscribeObjectLimit: 5 },
  oauth2Opts: {
    grantType: "authorizationCodePKCE",
    authURL: "https://{{.workspace}}.my.salesforce.com/services/oauth2/authorize",
    authURLParams: { prompt: "login" },
    tokenURL: "https://{{.workspace}}.my.salesforce.com/services/oauth2/token",
    withoutWorkspace: {
      authURL: "https://login.salesforce.com/services/oauth2/authorize",
      tokenURL: "https://login.salesforce.com/services/oauth2/token",
    },
    // The scopes come from the app; api and refresh_token are needed. Answers carry no expires_in.
    tokenAuthStyle: "body",
    explicitWorkspaceRequired: true,
    tokenMetadataFields: { workspaceRefField: "instance_url", consumerRefField: "id", scopesField: "scope" },
    reuseRevokes: true,
    // A refresh token unused for 30 days dies.
    keepAliveIntervalHours: 24,
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt:
          "The part before .my.salesforce.com in your address: acme, or acme--uat.sandbox for a sandbox.",
        docsURL:
          "https://help.salesforce.com/s/articleView?language=en_US&id=sf.faq_domain_name_what.htm&type=5",
        // The longest that fits is cut off.
        pastedSuffixes: [
          ".my.salesforce.com",
          ".lightning.force.com",
          ".my.salesforce-setup.com",
          ".salesforce.com",
        ],
      },
      {
        name: "businessUnitId",
        displayName: "Business unit id",
        prompt: "The 18 characters beginning with 0Uv, from Business Unit Setup.",
        docsURL: "https://developer.salesforce.com/docs/marketing/pardot/guide/authentication.html",
        moduleDependencies: { "account-engagement": {}, "account-engagement-demo": {} },
      },
    ],
  },
  authHealthCheck: {
    url: "https://{{.workspace}}.my.salesforce.com/services/oauth2/userinfo",
    successStatusCodes: [200],
    // Some hosts answer an invalid token with 403 here.
    refusals: [{ status: 403, text: "Bad_OAuth_Token" }],
  },
  providerAppMetadata: {
    providerParams: [
      {
        name: "packageInstallURL",
        displayName: "Package install URL",
        prompt: "For external client apps: where your customers install the package before they connect.",
      },
    ],
  },
  modules: {
    "account-engagement": {
      displayName: "Salesforce Marketing Cloud Account Engagement (Pardot)",
      baseURL: "https://pi.pardot.com",
      support: supports("read", "write"),
    },
    "account-engagement-demo": {
      displayName: "Salesforce Demo Marketing Cloud Account Engagement (Pardot)",
      baseURL: "https://pi.demo.pardot.com",
      support: supports("read", "write"),
    },
    crm: {
      displayName: "Salesforce",
      baseURL: "https://{{.workspace}}.my.salesforce.com",
      support: crm,
      features: { fieldFilters: true, standardObjects: STANDARD_OBJECTS },
      subscribeRequirements: { registration: true, postProcess: true, subscribeByAPI: true },
    },
  },
});
