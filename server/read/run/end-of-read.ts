/** Builds the end of a run after its last page: result, cursor, event. */
import { counted } from "../../../ground/counted.ts";
import { toEventRow } from "../../events/record-event.ts";
import { readBackfillDone, readTriggeredDone } from "../../events/read-events.ts";
import type { InstallationFieldsRow } from "../../store/deliveries/events.ts";
import type { RunEnd } from "../../store/reads/read-pages.ts";
import type { ReadCounts } from "../../store/reads/read-runs.ts";
import { toReadSpan } from "../definition/read-span.ts";
import { longestOverlapMs, type ReadScan } from "../records/read-scan.ts";

export interface EndedRead {
  counts: ReadCounts;
  untilTime: Date;
  stage: "records" | "deletions";
  fields: InstallationFieldsRow;
}

export function endOfRead(scan: ReadScan, { counts, untilTime, stage, fields }: EndedRead): RunEnd {
  const { run, target } = scan;
  const { messageName } = target.definition;
  const end: RunEnd = {
    status: "success",
    result: `[${messageName}] ${toReadResult(counts)}`,
    missingFields: [...scan.refused],
  };
  switch (run.kind) {
    case "scheduled":
      return { ...end, cursor: chooseCursor(scan, untilTime, stage) };
    case "backfill":
      return { ...end, event: toEventRow(readBackfillDone(fields, backfilled(scan, counts))) };
    case "triggered": {
      const span = toReadSpan(run, messageName, untilTime);
      return { ...end, event: toEventRow(readTriggeredDone(fields, span)) };
    }
  }
}

const backfilled = ({ run, target }: ReadScan, { records, delivered }: ReadCounts) => ({
  objectName: target.definition.messageName,
  operationId: run.operationId,
  recordsRead: records,
  recordsDelivered: delivered,
});

const chooseCursor = (
  { run, target }: ReadScan,
  cursorTime: Date,
  stage: EndedRead["stage"],
): RunEnd["cursor"] => ({
  cursorTime,
  settled: run.settles,
  ...(stage === "deletions" && { deletionsTime: cursorTime }),
  forgetBefore: new Date(cursorTime.getTime() - longestOverlapMs(target)),
});

function toReadResult({ records, delivered, deleted }: ReadCounts): string {
  if (delivered + deleted === 0) return "No new data found";
  const read = `${counted(records, "record")} read`;
  return deleted === 0 ? read : `${read}, ${deleted} deleted`;
}
