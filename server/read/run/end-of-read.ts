/** Builds the end of a run after its last page: result, cursor, event. */
import { formatCount } from "../../../ground/sentences.ts";
import { toEventRow } from "../../events/record-event.ts";
import { readBackfillDone, readTriggeredDone } from "../../events/new-events.ts";
import type { InstallationFieldsRow } from "../../store/deliveries/events.ts";
import type { RunEnd } from "../../store/reads/read-pages.ts";
import type { ReadCounts } from "../../store/reads/read-runs.ts";
import { toReadSpan } from "../definition/read-span.ts";
import { computeLongestOverlapMs, type ReadScan } from "../records/read-scan.ts";

export interface EndedRead {
  counts: ReadCounts;
  untilTime: Date;
  stage: "records" | "deletions";
  /** Until when the provider had all deletions, if that is not the end of the read. */
  coveredUntil: Date | undefined;
  fields: InstallationFieldsRow;
}

export function endOfRead(scan: ReadScan, ended: EndedRead): RunEnd {
  const { counts, untilTime, fields } = ended;
  const { run, target } = scan;
  const { messageName } = target.definition;
  const end: RunEnd = {
    status: "success",
    result: `[${messageName}] ${toReadResult(counts)}`,
    missingFields: [...scan.refused],
  };
  switch (run.kind) {
    case "scheduled":
      return { ...end, cursor: chooseCursor(scan, ended) };
    case "backfill":
      return { ...end, event: toEventRow(readBackfillDone(fields, buildBackfillEvent(scan, counts))) };
    case "triggered": {
      const span = toReadSpan(run, messageName, untilTime);
      return { ...end, event: toEventRow(readTriggeredDone(fields, span)) };
    }
  }
}

const buildBackfillEvent = ({ run, target }: ReadScan, { records, delivered }: ReadCounts) => ({
  objectName: target.definition.messageName,
  operationId: run.operationId,
  recordsRead: records,
  recordsInMessages: delivered,
});

/** Deletions go on where they were complete; those behind it are found again, and must be known until then. */
function chooseCursor(
  { run, target }: ReadScan,
  { untilTime: cursorTime, stage, coveredUntil }: EndedRead,
): RunEnd["cursor"] {
  const deletionsTime = coveredUntil && coveredUntil < cursorTime ? coveredUntil : cursorTime;
  return {
    cursorTime,
    settled: run.settles,
    ...(stage === "deletions" && { deletionsTime }),
    forgetBefore: new Date(deletionsTime.getTime() - computeLongestOverlapMs(target)),
  };
}

function toReadResult({ records, delivered, deleted }: ReadCounts): string {
  if (delivered + deleted === 0) return "No new data found";
  const read = `${formatCount(records, "record")} read`;
  return deleted === 0 ? read : `${read}, ${deleted} deleted`;
}
