/** Tells, in the transaction that ends them, how asynchronous writes ended. */
import type { RecordOutcome } from "../../connectors/kit/connector.ts";
import { writeAsyncDone } from "../deliver/payloads/write-events.ts";
import { recordEvents } from "../deliver/record-event.ts";
import type { Queries } from "../store/database.ts";
import { listInstallationFields } from "../store/events.ts";

export interface WriteEvent {
  operationId: string;
  installationId: string;
  objectName: string;
  outcomes: RecordOutcome[];
}

/** Of installations that were deleted meanwhile nobody is told: there is nobody to say whose write it was. */
export async function recordWriteEvents(queries: Queries, events: WriteEvent[]): Promise<void> {
  if (events.length === 0) return;
  const installations = [...new Set(events.map((event) => event.installationId))];
  const fields = await listInstallationFields(queries, installations);
  await recordEvents(
    queries,
    events.flatMap(({ operationId, installationId, objectName, outcomes }) => {
      const installation = fields.get(installationId);
      if (!installation) return [];
      const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error.message]));
      const successfulRecordIds = outcomes.flatMap((outcome) =>
        outcome.success && outcome.recordId ? [outcome.recordId] : [],
      );
      const success = errors.length === 0;
      return [
        writeAsyncDone(installation, { operationId, objectName, success, successfulRecordIds, errors }),
      ];
    }),
  );
}
