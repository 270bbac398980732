/** Builds the events of reads and subscriptions. `objectName` is the name that messages of the object carry. */
import type { InstallationFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";

/** The time span of a triggered read. */
export interface ReadSpan {
  objectName: string;
  from?: Date;
  until?: Date;
}

export const readBackfillDone = (
  fields: InstallationFields,
  read: { objectName: string; operationId: string; recordsRead: number; recordsDelivered: number },
): NewEvent => ({
  projectId: fields.projectId,
  type: "read.backfill.done",
  data: { ...fields, ...read },
});

export const readSchedulePaused = (fields: InstallationFields, config: object, error: string): NewEvent => ({
  projectId: fields.projectId,
  type: "read.schedule.paused",
  data: { ...fields, config, error },
});

export const readTriggeredDone = (fields: InstallationFields, span: ReadSpan): NewEvent => ({
  projectId: fields.projectId,
  type: "read.triggered.done",
  data: { ...fields, ...spanData(span) },
});

export const readTriggeredError = (fields: InstallationFields, span: ReadSpan, error: string): NewEvent => ({
  projectId: fields.projectId,
  type: "read.triggered.error",
  data: { ...fields, ...spanData(span), error },
});

export const subscribeCreateError = (fields: InstallationFields, error: string): NewEvent => ({
  projectId: fields.projectId,
  type: "subscribe.create.error",
  data: { ...fields, error },
});

const spanData = ({ objectName, from, until }: ReadSpan) => ({
  objectName,
  ...(from && { fromTimestamp: from.toISOString() }),
  ...(until && { untilTimestamp: until.toISOString() }),
});
