/** Providers with OAuth 2, A to B. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import type { ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2AToB: Record<string, ProviderFacts> = {
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
};
