/** Checks that a provider can have a provider app, and that the app has the scopes and settings that the provider needs. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { Problem } from "../../../ground/errors.ts";
import { toMemberProblem, refuseUnknownValue } from "../../../ground/member-problem.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { findAppWithClient, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { SOURCE_SETTING, listSourceSettings } from "../../subscribe/setup/choose-source.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";

/**
 * Throws a 422 Problem that names `member` if the provider is unknown or needs no app: apps are for OAuth, and for custom
 * schemes that need values of the builder.
 */
export function requireAppProvider(catalog: Catalog, provider: string, member: string): void {
  const info = catalog.find(provider);
  if (info?.authType === "oauth2" || info?.customOpts?.providerInputs?.length) return;
  const detail = info
    ? `${provider} does not use OAuth; it needs no provider app.`
    : explainMissingProvider(catalog, provider);
  throw new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: member, detail, value: provider }],
  });
}

/** Throws a 422 Problem if the provider grants nothing to an app that requests no scopes. */
export function requireScopes(
  catalog: Catalog,
  app: { provider: string; scopes: readonly string[] },
  member: string,
): void {
  const info = catalog.find(app.provider);
  if (!info?.oauth2Opts?.explicitScopesRequired || app.scopes.length > 0) return;
  const detail = `is empty, but ${info.displayName} needs scopes: a token without them may do nothing`;
  throw new Problem("semantically-invalid", {
    detail: `${member}: ${detail}. List the scopes that your OAuth client has at ${info.displayName}.`,
    issues: [{ in: "body", name: member, detail, remedy: "List at least one scope." }],
  });
}

/** Throws a 409 Problem if another app of the project has this provider and client id: of two secrets only one could count. */
export async function requireNewClient(
  queries: SharedQueries,
  app: Pick<ProviderAppRow, "id" | "projectId" | "provider" | "clientId">,
  member: string,
): Promise<void> {
  const other = await findAppWithClient(queries, app);
  if (!other) return;
  const detail = `The provider app \`${other.id}\` has this client id already. To change its secret, scopes or metadata, update that app.`;
  throw toMemberProblem(member, detail, { slug: "conflict", value: app.clientId });
}

/** Throws a 422 Problem for a source of changes that the provider does not have. */
export function requireSource(
  catalog: Catalog,
  { provider, metadata }: { provider: string; metadata?: { providerParams?: Record<string, string> } },
  member: string,
): void {
  const value = metadata?.providerParams?.[SOURCE_SETTING];
  const { subscribe } = catalog.connector(provider) ?? {};
  if (value === undefined || value === "" || !subscribe) return;
  const known = listSourceSettings({ pushes: subscribe.push !== undefined });
  if (known.includes(value)) return;
  throw refuseUnknownValue(`${member}.providerParams.${SOURCE_SETTING}`, value, known);
}
