/** Providers with OAuth 2, N to R. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import type { ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2NToR: Record<string, ProviderFacts> = {
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
};
