/** Checks that a provider can have a provider app: it uses OAuth, or its custom scheme needs values of the builder. */
import type { Catalog } from "../../../connectors/catalog.ts";
import { Problem } from "../../ground/errors.ts";

/** Throws a 422 Problem that names `member` if the provider is unknown or needs no app. */
export function requireAppProvider(catalog: Catalog, provider: string, member: string): void {
  const info = catalog.find(provider);
  if (info?.authType === "oauth2" || info?.customOpts?.providerInputs?.length) return;
  const detail = info
    ? `${provider} does not use OAuth; it needs no provider app.`
    : `There is no provider \`${provider}\`.`;
  throw new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: member, detail, value: provider }],
  });
}
