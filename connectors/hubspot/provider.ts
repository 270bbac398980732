/** Facts about HubSpot. */
import { batchWrite, defineProvider, supports } from "../../connector-kit/provider/define-provider.ts";
import { STANDARD_NAMES } from "./event-objects.ts";

const crm = supports("read", "write", "subscribe", "delete", "search", batchWrite(100));

export const provider = defineProvider({
  displayName: "HubSpot",
  authType: "oauth2",
  // One host for every account and data centre; the token decides.
  baseURL: "https://api.hubapi.com",
  defaultModule: "crm",
  support: supports("read", "write", "proxy", "subscribe", "delete", "search", batchWrite(100)),
  features: { fieldFilters: true, standardObjects: STANDARD_NAMES },
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://app.hubspot.com/oauth/authorize",
    // HubSpot/HubSpot-public-api-spec-collection, Auth/Oauth 2026-03; /oauth/v1/token ends on 2027-02-16. Tokens of before stay valid.
    tokenURL: "https://api.hubapi.com/oauth/2026-03/token",
    tokenAuthStyle: "body",
    pkce: true,
    // Needed: oauth, crm.objects.<object>.read and .write, and crm.schemas.<object>.write for custom fields.
    explicitScopesRequired: true,
  },
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.hubapi.com/account-info/2026-03/details",
    fields: [
      { name: "portalId", displayName: "Account id", path: "portalId" },
      // A daily quota starts anew at midnight there.
      { name: "timeZone", displayName: "Time zone", path: "timeZone" },
    ],
    workspaceField: "portalId",
  },
  metadata: { postAuthentication: [{ name: "portalId" }, { name: "timeZone" }] },
  authHealthCheck: { url: "https://api.hubapi.com/account-info/2026-03/details", successStatusCodes: [200] },
  providerAppMetadata: {
    authQueryParams: [
      {
        name: "optional_scope",
        displayName: "Optional scopes",
        prompt: "Scopes that are granted where the account has them; the HubSpot app must list them too.",
        docsURL: "https://developers.hubspot.com/docs/api/working-with-oauth#scopes",
      },
    ],
  },
  modules: {
    // Below /crm only; the proxy and the connector use the root.
    crm: { displayName: "HubSpot CRM", baseURL: "https://api.hubapi.com/crm", support: crm },
  },
});
