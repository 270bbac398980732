/** Providers with OAuth 2, I to M. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const oauth2IToM: Record<string, ProviderFacts> = {
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
};
