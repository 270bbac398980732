/**
 * Recognises changes that the provider reported in another way already, such as by its journal and by a push. Nothing but the
 * record, the change and its time is the same in both, and the times may differ a little. Pure.
 */
import type { EventGroup, InboxEvent } from "./group-events.ts";

/** Longer than times of one change differ between the ways; shorter than people need to change a field twice. */
export const SAME_CHANGE_MS = 5_000;

/**
 * Returns the groups of which every change was reported in another way: by `earlier` events that were delivered, or by an earlier
 * group. Whether the receiver has the state of the record is another question.
 */
export function findOtherReports(
  groups: readonly EventGroup[],
  earlier: readonly InboxEvent[],
): Set<EventGroup> {
  const known = Map.groupBy(earlier, ({ recordId }) => recordId);
  const repeated = new Set<EventGroup>();
  for (const group of groups) {
    const { recordId } = group.shown;
    const reported = known.get(recordId) ?? [];
    if (group.events.every((event) => isReported(event, reported))) repeated.add(group);
    else known.set(recordId, [...reported, ...group.events]);
  }
  return repeated;
}

function isReported({ report, time }: InboxEvent, earlier: readonly InboxEvent[]): boolean {
  if (!report) return false;
  const told = new Set(
    earlier.flatMap((one) =>
      one.report &&
      one.report.way !== report.way &&
      Math.abs(one.time.getTime() - time.getTime()) <= SAME_CHANGE_MS
        ? [...one.report.changes, ...(one.report.includes ?? [])]
        : [],
    ),
  );
  return report.changes.every((change) => told.has(change));
}
