/** Builds the Problem for a provider that does not exist, with the one that was probably meant. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { suggestName } from "../../ground/closest.ts";

export function explainMissingProvider(catalog: Catalog, key: string): string {
  const otherwise = "GET /v1/providers lists them; keys are case-sensitive.";
  return `There is no provider \`${key}\`. ${suggestName(key, catalog.keys(), otherwise)}`;
}
