/** Rules about the destinations that a manifest names. */
import { didYouMean } from "../closest.ts";
import type { Report } from "../finding.ts";
import { mapOf, objectsOf, pathOf, textOf, type LocatedValue } from "../located-value.ts";

export interface KnownDestinations {
  /** Names of the project's destinations; undefined when the project is not known. */
  names?: readonly string[];
  /** Those that are missing may be made later. */
  mayFollow?: boolean;
}

/** Warnings are told once per destination, errors wherever it is named. */
export function checkDestinations(
  integrations: readonly LocatedValue[],
  { names, mayFollow }: KnownDestinations,
  report: Report,
): void {
  const told = new Set(names);
  for (const place of integrations.flatMap(namersOf)) {
    const name = textOf(place, "destination");
    if (name === undefined || told.has(name)) continue;
    if (!names || mayFollow) told.add(name);
    const path = pathOf(place, "destination");
    const shown = `"${name.slice(0, 100)}"`;
    if (!names) {
      const message = `Whether the destination ${shown} exists was not checked.`;
      report.warning("destination-exists", path, message, "Create it in the project before deploying.");
      continue;
    }
    const tell = mayFollow ? report.warning : report.error;
    const remedy = () => didYouMean(name, names, "Create it, or name an existing one.");
    tell("destination-not-found", path, `The project has no destination ${shown}.`, remedy);
  }
}

function namersOf(integration: LocatedValue): LocatedValue[] {
  const watch = mapOf(integration, "watchSchema");
  return [
    ...objectsOf(integration, "read"),
    ...objectsOf(integration, "subscribe"),
    ...(watch ? [watch] : []),
  ];
}
