/** Which providers can have a provider app: those that speak OAuth, and those whose own scheme asks the builder too. */
import type { Catalog } from "../../../connectors/catalog.ts";
import { Problem } from "../../ground/errors.ts";

/** Throws a 422 Problem naming `member` when the provider is unknown or has nothing to do with an app. */
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
