import type { Sandbox } from "../../../sandbox/sandbox.ts";

/** The sandbox's providers, and one whose token is bought with client credentials. */
export const buildCatalog = (sandbox: Sandbox) => ({
  providers: {
    ...sandbox.catalog().providers,
    byClient: {
      authType: "oauth2",
      baseURL: sandbox.salesforce.url,
      support: { proxy: true },
      oauth2Opts: {
        grantType: "clientCredentials",
        tokenURL: `${sandbox.salesforce.url}/services/oauth2/token`,
      },
    },
  },
});
