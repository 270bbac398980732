/** Builds the event of an asynchronous write that has ended, as a row to insert in the same transaction. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { toEventRow } from "../events/record-event.ts";
import { writeAsyncDone } from "../events/new-events.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { EventRow, InstallationFieldsRow } from "../store/deliveries/events.ts";
import { chooseMessageName, readSendOptions } from "./queue/queued-write.ts";
import { describeReason } from "./operation-log.ts";

/** Returns the event of a write that has ended; none when the installation was deleted, so that `fields` is undefined. */
export function writeDone(
  fields: InstallationFieldsRow | undefined,
  write: { operationId: string; objectName: string; sendOptions: JsonObject },
  outcomes: RecordOutcome[],
): EventRow | undefined {
  if (!fields) return undefined;
  const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [describeReason(outcome.error)]));
  const successfulRecordIds = outcomes.flatMap((outcome) =>
    outcome.success && outcome.recordId ? [outcome.recordId] : [],
  );
  const { operationId } = write;
  const objectName = chooseMessageName(write, readSendOptions(write.sendOptions));
  const success = errors.length === 0;
  return toEventRow(
    writeAsyncDone(fields, { operationId, objectName, success, successfulRecordIds, errors }),
  );
}
