/**
 * Recognises changes that the provider reported in another way already, such as by its journal and by a push. Nothing but the
 * record, the change and its time is the same in both, and the times may differ a little. Pure.
 */
import { compareByTime, type InboxEvent } from "./group-events.ts";

/** Longer than times of one change differ between the ways; shorter than people need to change a field twice. */
export const SAME_CHANGE_MS = 5_000;

interface SplitEvents {
  fresh: InboxEvent[];
  /** Their changes were reported in another way: by `earlier` events, which were delivered, or by a fresh one before them. */
  repeats: InboxEvent[];
}

/** Separates repeated reports. It does not decide whether the receiver has the state of their records. */
export function splitOtherReports(
  events: readonly InboxEvent[],
  earlier: readonly InboxEvent[],
): SplitEvents {
  const known = Map.groupBy(earlier, ({ recordId }) => recordId);
  const split: SplitEvents = { fresh: [], repeats: [] };
  for (const event of events.toSorted(compareByTime)) {
    const reported = known.get(event.recordId) ?? [];
    if (isReported(event, reported)) split.repeats.push(event);
    else {
      split.fresh.push(event);
      if (event.report) known.set(event.recordId, [...reported, event]);
    }
  }
  return split;
}

function isReported({ report, time }: InboxEvent, earlier: readonly InboxEvent[]): boolean {
  if (!report) return false;
  const known = new Set(
    earlier.flatMap((one) =>
      one.report &&
      one.report.way !== report.way &&
      Math.abs(one.time.getTime() - time.getTime()) <= SAME_CHANGE_MS
        ? [...one.report.changes, ...(one.report.includes ?? [])]
        : [],
    ),
  );
  return report.changes.every((change) => known.has(change));
}
