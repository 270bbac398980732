/** For tests only: a small catalog, manifests built around the part a test is about, and what is reported about them. */
import { supports } from "../connector-kit/provider/define-provider.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import { checkManifest, type ManifestContext } from "./check-manifest.ts";

const provider = (name: string, extra: Partial<ProviderInfo> = {}): ProviderInfo => ({
  name,
  displayName: name.toUpperCase(),
  authType: "apiKey",
  baseURL: "https://example.com",
  defaultModule: "",
  support: supports("read", "write", "subscribe", "proxy"),
  ...extra,
});
const module = (...actions: Parameters<typeof supports>) => ({
  displayName: "M",
  baseURL: "https://example.com/m",
  support: supports(...actions),
});
const catalog: Record<string, ProviderInfo> = {
  acme: provider("acme"),
  salesforce: provider("salesforce", { features: { subscribeObjectLimit: 5 } }),
  snowflake: provider("snowflake", { features: { backfill: { fullHistoryOnly: true } } }),
  googlecalendar: provider("googlecalendar", { features: { backfill: { mostDays: { events: 28 } } } }),
  writeonly: provider("writeonly", { support: supports("write") }),
  modular: provider("modular", {
    defaultModule: "main",
    support: supports("write", "proxy"),
    modules: { main: module("read", "write"), side: module("write") },
  }),
  portal: provider("portal", {
    authType: "oauth2",
    oauth2Opts: {
      grantType: "authorizationCode",
      tokenURL: "https://example.com/token",
      explicitScopesRequired: false,
      explicitWorkspaceRequired: false,
      tokenMetadataFields: {},
    },
  }),
};
export const known: ManifestContext = { destinations: ["hook"] };

export const check = (source: string, context: ManifestContext = known) =>
  checkManifest(source, catalog, context);
export const reported = (source: string, context?: ManifestContext) =>
  check(source, context).findings.map(({ rule, line, column }) => `${rule} ${line}:${column}`);
export const rules = (source: string, context?: ManifestContext) => [
  ...new Set(check(source, context).findings.map(({ rule }) => rule)),
];

/** A manifest around the body of one integration, which begins in line 3. */
export const surroundBody = (body: string) => `specVersion: 1.0.0
integrations:
  - name: crm-sync
${body.replace(/^/gm, "    ")}`;
export const readObject = (body: string, providerName = "acme") =>
  surroundBody(`provider: ${providerName}
read:
  objects:
    - objectName: people
      destination: hook
${body.replace(/^/gm, "      ")}`);
export const subscribeObject = (body: string, rest = "") =>
  surroundBody(`provider: acme
read:
  objects:
    - objectName: people
      destination: hook
subscribe:
  objects:
    - objectName: people
      destination: hook
${body.replace(/^/gm, "      ")}${rest}`);
