/** Providers with OAuth 2, in the order of their names. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2Providers: Record<string, ProviderFacts> = {
  aWeber: oauth2("AWeber", "https://api.aweber.com", {
    authorize: "https://auth.aweber.com/oauth2/authorize",
    token: "https://auth.aweber.com/oauth2/token",
    needsScopes: true,
  }),
  acuityScheduling: oauth2("Acuity Scheduling", "https://acuityscheduling.com", {
    authorize: "https://acuityscheduling.com/oauth2/authorize",
    token: "https://acuityscheduling.com/oauth2/token",
    needsScopes: true,
    declares: ["read", "write"],
  }),
  adobe: oauth2("Adobe", "https://platform.adobe.io", {
    grant: "clientCredentials",
    token: "https://ims-na1.adobelogin.com/ims/token/v3",
    needsScopes: true,
  }),
  adyen: oauth2("Adyen", "https://{{.workspace}}.adyen.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://ca-live.adyen.com/ca/ca/oauth/connect.shtml",
    token: "https://oauth-live.adyen.com/v1/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    inputs: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The first part of your Adyen address: acme in acme.adyen.com.",
      },
    ],
  }),
  adyenTest: oauth2("Adyen Test", "https://{{.workspace}}.adyen.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://ca-test.adyen.com/ca/ca/oauth/connect.shtml",
    token: "https://oauth-test.adyen.com/v1/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    inputs: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The first part of your Adyen Test address: acme in acme.adyen.com.",
      },
    ],
  }),
  aha: oauth2("Aha", "https://{{.workspace}}.aha.io/api", {
    authorize: "https://{{.workspace}}.aha.io/oauth/authorize",
    token: "https://{{.workspace}}.aha.io/oauth/token",
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Company name",
        prompt: "The first part of your Aha! address: acme in acme.aha.io.",
        docsURL: "https://www.aha.io/api#urls",
      },
    ],
  }),
  basecamp: oauth2("Basecamp", "https://3.basecampapi.com/{{.workspace}}", {
    authorize: "https://launchpad.37signals.com/authorization/new",
    token: "https://launchpad.37signals.com/authorization/token",
    inputs: [
      {
        name: "workspace",
        displayName: "Account ID",
        prompt: "The number in your Basecamp address: 6258233 in app.basecamp.com/6258233/projects.",
      },
    ],
  }),
  bentley: oauth2("Bentley", "https://api.bentley.com", {
    authorize: "https://ims.bentley.com/connect/authorize",
    token: "https://ims.bentley.com/connect/token",
    needsScopes: true,
    declares: ["read", "write"],
  }),
  bitbucket: oauth2("Bitbucket", "https://api.bitbucket.org", {
    authorize: "https://bitbucket.org/site/oauth2/authorize",
    token: "https://bitbucket.org/site/oauth2/access_token",
    tokenAuth: "basic",
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Workspace",
        prompt: "The workspace id in your Bitbucket address: acme in bitbucket.org/acme.",
      },
    ],
  }),
  blackbaud: oauth2("Blackbaud", "https://api.sky.blackbaud.com", {
    authorize: "https://app.blackbaud.com/oauth/authorize",
    token: "https://oauth2.sky.blackbaud.com/token",
    tokenAuth: "basic",
    declares: ["read", "write"],
    inputs: [
      {
        name: "bbApiSubscriptionKey",
        displayName: "Blackbaud API subscription key",
        prompt: "The subscription key of your Blackbaud developer account.",
      },
    ],
    fixedHeaders: [{ name: "Bb-Api-Subscription-Key", valueTemplate: "{{.bbApiSubscriptionKey}}" }],
  }),
  box: oauth2("Box", "https://api.box.com", {
    authorize: "https://account.box.com/api/oauth2/authorize",
    token: "https://api.box.com/oauth2/token",
  }),
  bynder: oauth2("Bynder", "https://{{.workspace}}.bynder.com/api", {
    authorize: "https://{{.workspace}}.bynder.com/v6/authentication/oauth2/auth",
    token: "https://{{.workspace}}.bynder.com/v6/authentication/oauth2/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Bynder domain",
        prompt: "The first part of your Bynder address: acme in acme.bynder.com.",
      },
    ],
  }),
  calendly: oauth2("Calendly", "https://api.calendly.com", {
    authorize: "https://auth.calendly.com/oauth/authorize",
    token: "https://auth.calendly.com/oauth/token",
    declares: ["read", "write"],
    postAuthInfoNeeded: true,
    accountInfo: {
      url: "https://api.calendly.com/users/me",
      fields: [
        { name: "UserURI", displayName: "User", path: "resource.uri" },
        { name: "OrganizationURI", displayName: "Organisation", path: "resource.current_organization" },
      ],
    },
    authHealthCheck: { url: "https://api.calendly.com/users/me" },
    metadata: { postAuthentication: [{ name: "UserURI" }, { name: "OrganizationURI" }] },
  }),
  campaignMonitor: oauth2("Campaign Monitor", "https://api.createsend.com", {
    authorize: "https://api.createsend.com/oauth",
    token: "https://api.createsend.com/oauth/token",
    needsScopes: true,
    declares: ["read", "write"],
  }),
  constantContact: oauth2("Constant Contact", "https://api.cc.email", {
    authorize: "https://authz.constantcontact.com/oauth2/default/v1/authorize",
    token: "https://authz.constantcontact.com/oauth2/default/v1/token",
    tokenAuth: "basic",
    needsScopes: true,
    declares: ["read", "write"],
    authHealthCheck: { url: "https://api.cc.email/v3/account/user/privileges" },
  }),
  coupa: oauth2("Coupa", "https://{{.workspace}}", {
    authorize: "https://{{.workspace}}/oauth2/authorizations/new?",
    token: "https://{{.workspace}}/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Instance domain",
        prompt: "The host of your Coupa instance, for example acme.coupahost.com.",
        docsURL:
          "https://compass.coupa.com/en-us/products/product-documentation/integration-technical-documentation/the-coupa-core-api/get-started-with-the-api",
      },
    ],
    hostSuffixes: [".coupahost.com", ".coupacloud.com"],
  }),
  deel: oauth2("Deel", "https://api.letsdeel.com", {
    authorize: "https://app.deel.com/oauth2/authorize",
    token: "https://app.deel.com/oauth2/tokens",
    tokenAuth: "basic",
    needsScopes: true,
    oauth: { docsURL: "https://developer.deel.com/api/oauth" },
  }),
  deelSandbox: oauth2("Deel Sandbox", "https://api-sandbox.demo.deel.com", {
    authorize: "https://app.demo.deel.com/oauth2/authorize",
    token: "https://app.demo.deel.com/oauth2/tokens",
    tokenAuth: "basic",
    needsScopes: true,
    oauth: { docsURL: "https://developer.deel.com/api/oauth" },
  }),
  discord: oauth2("Discord", "https://discord.com", {
    authorize: "https://discord.com/oauth2/authorize",
    token: "https://discord.com/api/oauth2/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
  }),
  // A person may have several accounts: the default one is taken.
  docusign: oauth2("Docusign", "https://{{.server}}.docusign.net", {
    authorize: "https://account.docusign.com/oauth/auth",
    token: "https://account.docusign.com/oauth/token",
    tokenAuth: "basic",
    needsScopes: true,
    postAuthInfoNeeded: true,
    accountInfo: {
      url: "https://account.docusign.com/oauth/userinfo",
      pick: { list: "accounts", where: "is_default", equals: "true" },
      fields: [
        {
          name: "server",
          displayName: "Server",
          path: "base_uri",
          capture: "^https://(?<result>[^.]+)\\.docusign\\.net",
        },
        { name: "accountId", displayName: "Account id", path: "account_id" },
      ],
      workspaceField: "accountId",
    },
    metadata: { postAuthentication: [{ name: "server" }, { name: "accountId" }] },
  }),
  // A person may have several accounts: the default one is taken.
  docusignDeveloper: oauth2("Docusign Developer", "https://demo.docusign.net", {
    authorize: "https://account-d.docusign.com/oauth/auth",
    token: "https://account-d.docusign.com/oauth/token",
    tokenAuth: "basic",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    accountInfo: {
      url: "https://account-d.docusign.com/oauth/userinfo",
      pick: { list: "accounts", where: "is_default", equals: "true" },
      fields: [
        {
          name: "server",
          displayName: "Server",
          path: "base_uri",
          capture: "^https://(?<result>[^.]+)\\.docusign\\.net",
        },
        { name: "accountId", displayName: "Account id", path: "account_id" },
      ],
      workspaceField: "accountId",
    },
    metadata: { postAuthentication: [{ name: "server" }, { name: "accountId" }] },
    postAuthInfoNeeded: true,
  }),
  domo: oauth2("Domo", "https://api.domo.com", {
    grant: "clientCredentials",
    token: "https://api.domo.com/oauth/token",
    tokenAuth: "basic",
    needsScopes: true,
    tokenFields: { consumerRefField: "userId", scopesField: "scope" },
  }),
  drift: oauth2("Drift", "https://driftapi.com", {
    authorize: "https://dev.drift.com/authorize",
    token: "https://driftapi.com/oauth2/token",
    tokenFields: { workspaceRefField: "orgId" },
    declares: ["read", "write"],
  }),
  drip: oauth2("Drip", "https://api.getdrip.com", {
    authorize: "https://www.getdrip.com/oauth/authorize",
    token: "https://www.getdrip.com/oauth/token",
    tokenFields: { scopesField: "scope" },
  }),
  dropbox: oauth2("Dropbox", "https://api.dropboxapi.com", {
    authorize: "https://www.dropbox.com/oauth2/authorize",
    token: "https://api.dropboxapi.com/oauth2/token",
    // Without the type there is no refresh token, and access ends after four hours.
    oauth: { authURLParams: { token_access_type: "offline" } },
    tokenFields: { consumerRefField: "account_id", scopesField: "scope" },
  }),
  dropboxSign: oauth2("Dropbox Sign", "https://api.hellosign.com", {
    authorize: "https://app.hellosign.com/oauth/authorize",
    token: "https://app.hellosign.com/oauth/token",
    declares: ["read", "write"],
  }),
  dynamicsBusinessCentral: oauth2(
    "Microsoft Dynamics Business Central",
    "https://api.businesscentral.dynamics.com",
    {
      authorize: "https://login.microsoftonline.com/{{.workspace}}/oauth2/v2.0/authorize",
      token: "https://login.microsoftonline.com/{{.workspace}}/oauth2/v2.0/token",
      needsScopes: true,
      tokenFields: { scopesField: "scope" },
      oauth: {
        scopeMappings: { ".default": "https://api.businesscentral.dynamics.com/.default" },
        explicitWorkspaceRequired: true,
      },
      declares: ["read", "write"],
      inputs: [
        {
          name: "workspace",
          displayName: "Tenant ID",
          prompt: "The ID of your Microsoft Entra tenant.",
          docsURL:
            "https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/administration/tenant-admin-center",
        },
        {
          name: "companyId",
          displayName: "Company ID",
          prompt: "The ID of the company in Business Central.",
          docsURL:
            "https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/api-reference/v2.0/api/dynamics_company_get",
        },
        {
          name: "environmentName",
          displayName: "Environment Name",
          prompt: "The name of the environment, for example production.",
          docsURL:
            "https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/administration/tenant-admin-center-environments",
        },
      ],
    },
  ),
  figma: oauth2("Figma", "https://api.figma.com", {
    authorize: "https://www.figma.com/oauth",
    token: "https://www.figma.com/api/oauth/token",
    needsScopes: true,
    tokenFields: { consumerRefField: "user_id" },
  }),
  formstack: oauth2("Formstack", "https://www.formstack.com/api", {
    authorize: "https://www.formstack.com/api/v2/oauth2/authorize",
    token: "https://www.formstack.com/api/v2/oauth2/token",
    tokenFields: { consumerRefField: "user_id" },
  }),
  fourFour: oauth2("Four/Four", "https://fourfour.ai", {
    authorize: "https://fourfour.ai/oauth/authorize",
    token: "https://fourfour.ai/oauth/token",
    declares: ["read"],
  }),
  gainsight: oauth2("Gainsight", "https://{{.workspace}}.gainsightcloud.com", {
    authorize: "https://{{.workspace}}.gainsightcloud.com/v1/authorize",
    token: "https://{{.workspace}}.gainsightcloud.com/v1/users/oauth/token",
    oauth: { explicitWorkspaceRequired: true },
    inputs: [
      {
        name: "workspace",
        displayName: "Workspace",
        prompt: "The first part of your Gainsight address: acme in acme.gainsightcloud.com.",
      },
    ],
  }),
  getResponse: oauth2("GetResponse", "https://api.getresponse.com", {
    authorize: "https://app.getresponse.com/oauth2_authorize.html",
    token: "https://api.getresponse.com/v3/token",
    declares: ["read", "write"],
  }),
  // Errors of the token endpoint come with status 200 and a member `error`.
  goTo: oauth2("GoTo", "https://api.getgo.com", {
    authorize: "https://authentication.logmeininc.com/oauth/authorize",
    token: "https://authentication.logmeininc.com/oauth/token",
    tokenAuth: "basic",
    tokenFields: { scopesField: "scope" },
    declares: ["read", "write"],
    defaultModule: "goTo",
    postAuthInfoNeeded: true,
    metadata: {
      postAuthentication: [{ moduleDependencies: { goTo: {}, goToConnect: {} }, name: "accountKey" }],
    },
    accountInfo: {
      url: "https://api.getgo.com/admin/rest/v1/me",
      fields: [{ name: "accountKey", displayName: "Account key", path: "accountKey" }],
      workspaceField: "accountKey",
    },
    modules: {
      goTo: { displayName: "GoTo", baseURL: "https://api.getgo.com", support: supports("read", "write") },
      goToConnect: { displayName: "GoTo Connect", baseURL: "https://api.goto.com", support: supports() },
    },
  }),
  greenhouse: oauth2("Greenhouse (Harvest)", "https://harvest.greenhouse.io", {
    authorize: "https://auth.greenhouse.io/authorize",
    token: "https://auth.greenhouse.io/token",
    tokenAuth: "basic",
    needsScopes: true,
  }),
  groove: oauth2("Groove", "https://api.groovehq.com", {
    authorize: "https://api.groovehq.com/oauth/authorize",
    token: "https://api.groovehq.com/oauth/token",
    tokenFields: { scopesField: "scope" },
    declares: ["read", "write"],
  }),
  gusto: oauth2("Gusto", "https://api.gusto.com", {
    authorize: "https://api.gusto.com/oauth/authorize",
    token: "https://api.gusto.com/oauth/token",
    declares: ["read", "write"],
  }),
  gustoDemo: oauth2("Gusto Demo", "https://api.gusto-demo.com", {
    authorize: "https://api.gusto-demo.com/oauth/authorize",
    token: "https://api.gusto-demo.com/oauth/token",
    declares: ["read", "write"],
    postAuthInfoNeeded: true,
    metadata: { postAuthentication: [{ name: "companyId" }] },
    accountInfo: {
      url: "https://api.gusto-demo.com/v1/token_info",
      fields: [{ name: "companyId", displayName: "Company ID", path: "resource.uuid" }],
      workspaceField: "companyId",
    },
  }),
  helpScoutMailbox: oauth2("Help Scout Mailbox", "https://api.helpscout.net", {
    grant: "clientCredentials",
    token: "https://api.helpscout.net/v2/oauth2/token",
    oauth: { docsURL: "https://developer.helpscout.com/mailbox-api/overview/authentication/" },
    declares: ["read", "write"],
    authHealthCheck: { url: "https://api.helpscout.net/v2/users/me" },
  }),
  highLevelStandard: oauth2("Highlevel Standard", "https://services.leadconnectorhq.com", {
    authorize: "https://marketplace.gohighlevel.com/oauth/chooselocation",
    token: "https://services.leadconnectorhq.com/oauth/token",
    needsScopes: true,
    tokenFields: { consumerRefField: "userId", scopesField: "scope" },
    declares: ["read", "write"],
    inputs: [
      { name: "locationId", displayName: "Location ID", prompt: "The ID of the location (sub-account)." },
    ],
  }),
  highLevelWhiteLabel: oauth2("Highlevel White Label", "https://services.leadconnectorhq.com", {
    authorize: "https://marketplace.leadconnectorhq.com/oauth/chooselocation",
    token: "https://services.leadconnectorhq.com/oauth/token",
    needsScopes: true,
    tokenFields: { consumerRefField: "userId", scopesField: "scope" },
    declares: ["read", "write"],
    inputs: [
      { name: "locationId", displayName: "Location ID", prompt: "The ID of the location (sub-account)." },
    ],
  }),
  instagram: oauth2("Instagram", "https://graph.instagram.com", {
    authorize: "https://api.instagram.com/oauth/authorize",
    token: "https://api.instagram.com/oauth/access_token",
    needsScopes: true,
    oauth: { scopeSeparator: "," },
    tokenFields: { scopesField: "user_id" },
  }),
  ironclad: oauth2("Ironclad", "https://ironcladapp.com", {
    authorize: "https://ironcladapp.com/oauth/authorize",
    token: "https://ironcladapp.com/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    labels: { experimental: "true" },
  }),
  ironcladDemo: oauth2("Ironclad Demo", "https://demo.ironcladapp.com", {
    authorize: "https://demo.ironcladapp.com/oauth/authorize",
    token: "https://demo.ironcladapp.com/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    labels: { experimental: "true" },
  }),
  ironcladEU: oauth2("Ironclad Europe", "https://eu1.ironcladapp.com", {
    authorize: "https://eu1.ironcladapp.com/oauth/authorize",
    token: "https://eu1.ironcladapp.com/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    labels: { experimental: "true" },
  }),
  // GraphQL.
  jobber: oauth2("Jobber", "https://api.getjobber.com/api/graphql", {
    authorize: "https://api.getjobber.com/api/oauth/authorize",
    token: "https://api.getjobber.com/api/oauth/token",
    declares: ["read", "write", "subscribe"],
  }),
  joinMe: oauth2("Join Me", "https://api.join.me", {
    authorize: "https://secure.join.me/api/public/v1/auth/oauth2",
    token: "https://secure.join.me/api/public/v1/auth/token",
    needsScopes: true,
  }),
  lever: oauth2("Lever", "https://api.lever.co", {
    authorize: "https://auth.lever.co/authorize",
    token: "https://auth.lever.co/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { audience: ["https://api.lever.co/v1/"] },
    declares: ["read", "write"],
  }),
  leverSandbox: oauth2("Lever Sandbox", "https://api.sandbox.lever.co", {
    authorize: "https://sandbox-lever.auth0.com/authorize",
    token: "https://sandbox-lever.auth0.com/oauth/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { audience: ["https://api.sandbox.lever.co/v1/"] },
    declares: ["read", "write"],
  }),
  linkedIn: oauth2("LinkedIn", "https://api.linkedin.com", {
    authorize: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    declares: ["read", "write"],
    defaultModule: "platform",
    inputs: [
      {
        name: "adAccountId",
        displayName: "Ad Account ID",
        prompt: "The number of the ad account, shown beside its name in Campaign Manager.",
        docsURL: "https://www.linkedin.com/help/linkedin/answer/a424270/find-linkedin-ads-account-details",
        moduleDependencies: { ads: {} },
      },
    ],
    fixedHeaders: [
      { name: "Linkedin-Version", valueTemplate: "202607" },
      { name: "X-Restli-Protocol-Version", valueTemplate: "2.0.0" },
    ],
    modules: {
      ads: {
        displayName: "LinkedIn (Ads)",
        baseURL: "https://api.linkedin.com",
        support: supports("read", "write"),
      },
      platform: {
        displayName: "LinkedIn (Platform)",
        baseURL: "https://api.linkedin.com",
        support: supports("read", "write"),
      },
    },
  }),
  meta: oauth2("Meta", "https://graph.facebook.com", {
    authorize: "https://www.facebook.com/v25.0/dialog/oauth",
    token: "https://graph.facebook.com/v25.0/oauth/access_token",
    needsScopes: true,
    defaultModule: "ads",
    inputs: [
      {
        name: "whatsappAccountId",
        displayName: "WhatsApp Business Account ID",
        prompt: "The ID of the WhatsApp Business account, a number.",
        docsURL: "https://developers.facebook.com/docs/whatsapp/business-management-api/get-started",
        moduleDependencies: { whatsapp: {} },
      },
      {
        name: "whatsappPhoneNumberId",
        displayName: "Phone Number ID",
        prompt: "The ID of the phone number, not the number itself.",
        docsURL: "https://developers.facebook.com/docs/whatsapp/cloud-api/reference/phone-numbers",
        moduleDependencies: { whatsapp: {} },
      },
    ],
    modules: {
      ads: { displayName: "Meta Ads", baseURL: "https://graph.facebook.com", support: supports() },
      whatsapp: {
        displayName: "WhatsApp Business Platform",
        baseURL: "https://graph.facebook.com",
        support: supports(),
      },
    },
  }),
  miro: oauth2("Miro", "https://api.miro.com", {
    authorize: "https://miro.com/oauth/authorize",
    token: "https://api.miro.com/v1/oauth/token",
    tokenFields: { workspaceRefField: "team_id", consumerRefField: "user_id", scopesField: "scope" },
  }),
  mural: oauth2("Mural", "https://app.mural.co/api", {
    authorize: "https://app.mural.co/api/public/v1/authorization/oauth2/",
    token: "https://app.mural.co/api/public/v1/authorization/oauth2/token",
    needsScopes: true,
  }),
  payPal: oauth2("PayPal", "https://api-m.paypal.com", {
    grant: "clientCredentials",
    token: "https://api-m.paypal.com/v1/oauth2/token",
    tokenAuth: "basic",
    tokenFields: { scopesField: "scope" },
  }),
  payPalSandBox: oauth2("PayPal SandBox", "https://api-m.sandbox.paypal.com", {
    grant: "clientCredentials",
    token: "https://api-m.sandbox.paypal.com/v1/oauth2/token",
    tokenAuth: "basic",
    tokenFields: { scopesField: "scope" },
  }),
  phoneBurner: oauth2("PhoneBurner", "https://www.phoneburner.com", {
    authorize: "https://www.phoneburner.com/oauth/authorize",
    token: "https://www.phoneburner.com/oauth/accesstoken",
    oauth: { docsURL: "https://www.phoneburner.com/developer/authentication#web-flow" },
    declares: ["read", "write"],
    labels: { experimental: "true" },
  }),
  pinterest: oauth2("Pinterest", "https://api.pinterest.com", {
    authorize: "https://www.pinterest.com/oauth",
    token: "https://api.pinterest.com/v5/oauth/token",
    tokenAuth: "basic",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    declares: ["read", "write"],
  }),
  podium: oauth2("Podium", "https://api.podium.com", {
    authorize: "https://api.podium.com/oauth/authorize",
    token: "https://api.podium.com/oauth/token",
    needsScopes: true,
  }),
  procore: oauth2("Procore", "https://api.procore.com", {
    authorize: "https://login.procore.com/oauth/authorize",
    token: "https://login.procore.com/oauth/token",
    declares: ["read", "write"],
    inputs: [
      {
        name: "company",
        displayName: "Company ID",
        prompt: "The ID of your company in Procore, a number.",
        docsURL: "https://procore.github.io/documentation/tutorial-mpz",
      },
    ],
    fixedHeaders: [{ name: "Procore-Company-Id", valueTemplate: "{{.company}}" }],
  }),
  procoreSandbox: oauth2("Procore Sandbox", "https://sandbox.procore.com", {
    authorize: "https://login-sandbox.procore.com/oauth/authorize",
    token: "https://login-sandbox.procore.com/oauth/token",
    declares: ["read", "write"],
    inputs: [
      {
        name: "company",
        displayName: "Company ID",
        prompt: "The ID of your company in Procore, a number.",
        docsURL: "https://procore.github.io/documentation/tutorial-mpz",
      },
    ],
    fixedHeaders: [{ name: "Procore-Company-Id", valueTemplate: "{{.company}}" }],
  }),
  productBoard: oauth2("Productboard", "https://api.productboard.com", {
    authorize: "https://app.productboard.com/oauth2/authorize",
    token: "https://app.productboard.com/oauth2/token",
    tokenFields: { scopesField: "scope" },
  }),
  // The company id is part of the path.
  quickbooksSandbox: oauth2("QuickBooks SandBox", "https://sandbox-quickbooks.api.intuit.com", {
    authorize: "https://appcenter.intuit.com/connect/oauth2",
    token: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    tokenAuth: "basic",
    needsScopes: true,
    oauth: { callbackFields: [{ name: "realmId", displayName: "Company ID" }] },
    declares: ["read", "write"],
  }),
  ramp: oauth2("Ramp", "https://api.ramp.com", {
    authorize: "https://api.ramp.com/v1/authorize",
    token: "https://api.ramp.com/developer/v1/token",
    tokenAuth: "basic",
    needsScopes: true,
  }),
  rampDemo: oauth2("Ramp Demo", "https://demo-api.ramp.com", {
    authorize: "https://demo.ramp.com/v1/authorize",
    token: "https://demo-api.ramp.com/developer/v1/token",
    tokenAuth: "basic",
    needsScopes: true,
  }),
  // Without `duration` there is no refresh token.
  redditAds: oauth2("Reddit Ads", "https://ads-api.reddit.com", {
    authorize: "https://www.reddit.com/api/v1/authorize",
    token: "https://www.reddit.com/api/v1/access_token",
    tokenAuth: "basic",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { authURLParams: { duration: "permanent" } },
    fixedHeaders: [{ name: "User-Agent", valueTemplate: "Busbar" }],
  }),
  ringCentral: oauth2("RingCentral", "https://platform.ringcentral.com", {
    grant: "authorizationCodePKCE",
    authorize: "https://platform.ringcentral.com/restapi/oauth/authorize",
    token: "https://platform.ringcentral.com/restapi/oauth/token",
    tokenAuth: "basic",
    tokenFields: { consumerRefField: "owner_id", scopesField: "scope" },
    declares: ["read", "write"],
  }),
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
