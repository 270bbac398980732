/** Every type of event there is and what each carries. */
import type {
  ConnectionErrorData,
  ConnectionFields,
  DestinationWebhookDisabledData,
  InstallationData,
  InstallationUpdatedData,
  ReadBackfillDoneData,
  ReadSchedulePausedData,
  ReadTriggeredDoneData,
  ReadTriggeredErrorData,
  SubscribeCreateErrorData,
  WriteAsyncDoneData,
} from "./event-data.ts";

/** What an event of each type carries as `data`. */
export interface EventData {
  "installation.created": InstallationData;
  "installation.updated": InstallationUpdatedData;
  "installation.deleted": InstallationData;
  "read.backfill.done": ReadBackfillDoneData;
  "read.schedule.paused": ReadSchedulePausedData;
  "read.triggered.done": ReadTriggeredDoneData;
  "read.triggered.error": ReadTriggeredErrorData;
  "write.async.done": WriteAsyncDoneData;
  "subscribe.create.error": SubscribeCreateErrorData;
  "connection.created": ConnectionFields;
  "connection.refreshed": ConnectionFields;
  "connection.updated": ConnectionFields;
  "connection.deleted": ConnectionFields;
  "connection.error": ConnectionErrorData;
  "destination.webhook.disabled": DestinationWebhookDisabledData;
}

export type EventType = keyof EventData;

export const EVENT_TYPES = [
  "installation.created",
  "installation.updated",
  "installation.deleted",
  "read.backfill.done",
  "read.schedule.paused",
  "read.triggered.done",
  "read.triggered.error",
  "write.async.done",
  "subscribe.create.error",
  "connection.created",
  "connection.refreshed",
  "connection.updated",
  "connection.deleted",
  "connection.error",
  "destination.webhook.disabled",
] as const satisfies readonly EventType[];

/** An event that is to be recorded; made by the builders beside this file. */
export type NewEvent = {
  [Type in EventType]: { projectId: string; type: Type; data: EventData[Type] };
}[EventType];
