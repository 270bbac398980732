/** Providers with OAuth 2, C to E. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import type { ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2CToE: Record<string, ProviderFacts> = {
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
};
