/** Rules about the destinations that a manifest names. */
import { suggestName } from "../../ground/closest.ts";
import type { Report } from "../finding.ts";
import { readMap, listObjects, joinPath, readText, type LocatedValue } from "../located-value.ts";

interface KnownDestinations {
  /** Names of the project's destinations; undefined when the project is not known. */
  names?: readonly string[];
  /** A missing destination may be created later. */
  mayFollow?: boolean;
}

/** Reports a warning once per destination, an error wherever the destination is named. */
export function checkDestinations(
  integrations: readonly LocatedValue[],
  { names, mayFollow }: KnownDestinations,
  report: Report,
): void {
  const reported = new Set(names);
  for (const place of integrations.flatMap(listPlacesWithDestination)) {
    const name = readText(place, "destination");
    if (name === undefined || reported.has(name)) continue;
    if (!names || mayFollow) reported.add(name);
    const path = joinPath(place, "destination");
    const shown = `"${name.slice(0, 100)}"`;
    if (!names) {
      const message = `Whether the destination ${shown} exists was not checked.`;
      report.warning("destination-exists", path, message, "Create it in the project before deploying.");
      continue;
    }
    const add = mayFollow ? report.warning : report.error;
    const remedy = () => suggestName(name, names, "Create it, or name an existing one.");
    add("destination-not-found", path, `The project has no destination ${shown}.`, remedy);
  }
}

function listPlacesWithDestination(integration: LocatedValue): LocatedValue[] {
  const watch = readMap(integration, "watchSchema");
  return [
    ...listObjects(integration, "read"),
    ...listObjects(integration, "subscribe"),
    ...(watch ? [watch] : []),
  ];
}
