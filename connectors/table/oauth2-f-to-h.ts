/** Providers with OAuth 2, F to H. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2FToH: Record<string, ProviderFacts> = {
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
};
