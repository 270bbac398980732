/** What an installation reads, by its configuration and by the manifest. */
import type { Schemas } from "../../api.gen.ts";
import type { Content } from "./configuration/config-content.ts";

export interface ReadRow {
  objectName: string;
  /** A cron expression; empty or undefined: it is read on request alone. */
  schedule: string | undefined;
  /** Its records were read when it was added. */
  hasBackfill: boolean;
  /** The configuration switches it off. */
  isOff: boolean;
}

/** Returns the objects of the configuration, then those that the manifest reads for every customer. */
export function listReadObjects(
  content: Content,
  declared: readonly Schemas["ManifestReadObject"][],
): readonly ReadRow[] {
  const inManifest = new Map(declared.map((object) => [object.objectName, object]));
  const chosen = Object.entries(content.read?.objects ?? {}).map(([key, object]) => {
    const objectName = object.objectName || key;
    const found = inManifest.get(objectName);
    return {
      objectName,
      schedule: object.schedule ?? found?.schedule,
      hasBackfill: reachesBack(object.backfill?.defaultPeriod ?? found?.backfill?.defaultPeriod),
      isOff: object.disabled === true && found?.enabled !== "always",
    };
  });
  const names = new Set(chosen.map(({ objectName }) => objectName));
  const always = declared.filter(({ objectName, enabled }) => enabled === "always" && !names.has(objectName));
  return [
    ...chosen,
    ...always.map(({ objectName, schedule, backfill }) => ({
      objectName,
      schedule,
      hasBackfill: reachesBack(backfill?.defaultPeriod),
      isOff: false,
    })),
  ];
}

const reachesBack = (period: Schemas["BackfillPeriod"] | undefined): boolean =>
  period?.fullHistory === true || (period?.days ?? 0) > 0;
