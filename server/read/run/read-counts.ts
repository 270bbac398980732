/** Counts what a read has done so far, and shows it in its operation. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { ClaimedRun, ReadCounts } from "../../store/reads/read-runs.ts";
import { readLowerBound } from "../definition/read-span.ts";

export const NO_COUNTS: ReadCounts = {
  pages: 0,
  records: 0,
  delivered: 0,
  unchanged: 0,
  deleted: 0,
  providerCalls: 0,
  waitedMs: 0,
};

/** Returns the counts of a run that was claimed: as its operation has them, with how long it has waited since. */
export function readCounts({ metadata, idleMs }: Pick<ClaimedRun, "metadata" | "idleMs">): ReadCounts {
  const read = isJsonObject(metadata["read"]) ? metadata["read"] : {};
  const counts: ReadCounts = { ...NO_COUNTS };
  for (const name of Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[]) {
    const count: Json | undefined = read[name];
    if (typeof count === "number") counts[name] = count;
  }
  counts.waitedMs += idleMs;
  const progress = isJsonObject(metadata["progress"]) ? metadata["progress"] : {};
  const total = progress["recordsEstimatedTotal"];
  return typeof total === "number" ? { ...counts, total } : counts;
}

/** Returns the object's name in messages, as it was when the run began. */
export function nameObject({ metadata, objectName }: Pick<ClaimedRun, "metadata" | "objectName">): string {
  const [name] = Array.isArray(metadata["objects"]) ? metadata["objects"] : [];
  return typeof name === "string" ? name : objectName;
}

/** Returns what the run waited for before it was claimed; undefined if it went on. */
export const readWaitsFor = ({ metadata }: Pick<ClaimedRun, "metadata">): Json | undefined =>
  isJsonObject(metadata["read"]) ? metadata["read"]["waitsFor"] : undefined;

/** Returns the operation's metadata for these counts. */
export function buildMetadata(
  run: Pick<ClaimedRun, "installationId" | "operationId" | "kind" | "sinceTime">,
  { messageName, untilTime }: { messageName: string; untilTime: Date | null },
  { total, ...counts }: ReadCounts,
): JsonObject {
  const since = readLowerBound(run);
  return {
    progress: {
      installationId: run.installationId,
      objectName: messageName,
      operationId: run.operationId,
      recordsProcessed: counts.records,
      ...(total !== undefined && { recordsEstimatedTotal: Math.max(total, counts.records) }),
    },
    read: {
      readType: run.kind,
      ...(since && { since: since.toISOString() }),
      ...(untilTime && { until: untilTime.toISOString() }),
      ...counts,
    },
  };
}
