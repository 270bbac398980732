/** Cancels a read: what is delivered stays, what is not read yet is read by the next scheduled read. */
import { readTriggeredError } from "../../events/new-events.ts";
import { recordEvents } from "../../events/record-event.ts";
import { type Database, transactData } from "../../store/database/database.ts";
import { getInstallationFields } from "../../store/deliveries/events.ts";
import type { OperationRow } from "../../store/operations/operations.ts";
import { stopRun } from "../../store/reads/read-runs.ts";
import { toReadSpan } from "../definition/read-span.ts";

/** Ends the run after the page that was committed last. Returns false if it is over. */
export function cancelRead(
  deps: { database: Database },
  operation: Pick<OperationRow, "id" | "projectId" | "installationId" | "objectName" | "metadata">,
): Promise<boolean> {
  const { id: operationId, projectId, installationId } = operation;
  const { objects } = operation.metadata as { objects?: string[] };
  const messageName = objects?.[0] ?? operation.objectName;
  return transactData(deps.database, async (queries) => {
    const result = `[${messageName}] Cancelled`;
    const run = await stopRun(queries, { projectId, operationId, result });
    if (run?.kind === "triggered") {
      const fields = await getInstallationFields(queries, installationId);
      const span = toReadSpan(run, messageName, run.untilTime);
      await recordEvents(queries, [readTriggeredError(fields, span, "Cancelled")]);
    }
    return run !== undefined;
  });
}
