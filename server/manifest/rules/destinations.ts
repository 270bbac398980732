/** Rules about the destinations that a manifest names. */
import { didYouMean } from "../closest.ts";
import type { Report } from "../complaint.ts";
import { mapOf, objectsOf, pathOf, textOf, type Place } from "../place.ts";

/** `known` are the names of the project's destinations; undefined when the project is not known. */
export function checkDestinations(
  integrations: readonly Place[],
  known: readonly string[] | undefined,
  report: Report,
): void {
  const told = new Set<string>();
  const names = known && new Set(known);
  for (const place of integrations.flatMap(namersOf)) {
    const name = textOf(place, "destination");
    if (name === undefined) continue;
    const path = pathOf(place, "destination");
    if (known) {
      if (names?.has(name)) continue;
      const remedy = () => didYouMean(name, known, "Create it first, or name an existing one.");
      report.error(
        "destination-not-found",
        path,
        `The project has no destination "${name.slice(0, 100)}".`,
        remedy,
      );
    } else if (!told.has(name)) {
      told.add(name);
      const message = `Whether the destination "${name.slice(0, 100)}" exists was not checked.`;
      report.warning("destination-exists", path, message, "Create it in the project before deploying.");
    }
  }
}

function namersOf(integration: Place): Place[] {
  const watch = mapOf(integration, "watchSchema");
  return [
    ...objectsOf(integration, "read"),
    ...objectsOf(integration, "subscribe"),
    ...(watch ? [watch] : []),
  ];
}
