/** Builds the event for the end of an asynchronous write. */
import type { InstallationFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";

export interface WriteEnd {
  operationId: string;
  objectName: string;
  /** False as soon as one record failed. */
  success: boolean;
  successfulRecordIds: string[];
  /** One sentence per failed record, or one for the whole write. */
  errors: string[];
}

export const writeAsyncDone = (fields: InstallationFields, end: WriteEnd): NewEvent => ({
  projectId: fields.projectId,
  type: "write.async.done",
  data: {
    ...fields,
    objectName: end.objectName,
    success: end.success,
    successfulRecordIds: end.successfulRecordIds,
    errors: end.errors,
    operationId: end.operationId,
  },
});
