// Entries of a BUSBAR_CATALOG file with which an operator directs both providers to the sandbox.

export type CatalogOverlay = { providers: Record<string, Record<string, unknown>> };

/** Builds the entries. Addresses have no trailing slash; `pubSubUrl` is the address of Salesforce's event bus. */
export function buildCatalogOverlay(origin: string, pubSubUrl?: string): CatalogOverlay {
  const hubspot = `${origin}/hubspot`;
  const salesforce = `${origin}/salesforce`;
  return {
    providers: {
      hubspot: {
        baseURL: hubspot,
        authHealthCheck: {
          method: "GET",
          successStatusCodes: [200],
          url: `${hubspot}/account-info/2026-03/details`,
        },
        oauth2Opts: { authURL: `${hubspot}/oauth/authorize`, tokenURL: `${hubspot}/oauth/2026-03/token` },
        modules: { crm: { baseURL: `${hubspot}/crm` } },
      },
      salesforce: {
        baseURL: salesforce,
        ...(pubSubUrl === undefined ? {} : { pubSubURL: pubSubUrl }),
        authHealthCheck: {
          method: "GET",
          successStatusCodes: [200],
          url: `${salesforce}/services/oauth2/userinfo`,
        },
        oauth2Opts: {
          authURL: `${salesforce}/services/oauth2/authorize`,
          tokenURL: `${salesforce}/services/oauth2/token`,
          // The sandbox is one organisation, so customers need not enter a subdomain.
          explicitWorkspaceRequired: false,
        },
        modules: { crm: { baseURL: salesforce } },
      },
    },
  };
}
