/** All event types and their data. */
import type { Static, TObject } from "typebox";
import { ApprovalEventSchema } from "./approval-schema.ts";
import {
  ConnectionErrorSchema,
  ConnectionFieldsSchema,
  DestinationWebhookDisabledSchema,
  InstallationEventSchema,
  InstallationHealthChangedSchema,
  InstallationUpdatedSchema,
  ReadBackfillDoneSchema,
  ReadSchedulePausedSchema,
  ReadTriggeredDoneSchema,
  ReadTriggeredErrorSchema,
  SubscribeCreateErrorSchema,
  WriteAsyncDoneSchema,
} from "./event-data.ts";

/** The schema of `data` for each event type. */
export const EVENT_DATA = {
  "installation.created": InstallationEventSchema,
  "installation.updated": InstallationUpdatedSchema,
  "installation.deleted": InstallationEventSchema,
  "read.backfill.done": ReadBackfillDoneSchema,
  "read.schedule.paused": ReadSchedulePausedSchema,
  "read.triggered.done": ReadTriggeredDoneSchema,
  "read.triggered.error": ReadTriggeredErrorSchema,
  "write.async.done": WriteAsyncDoneSchema,
  "subscribe.create.error": SubscribeCreateErrorSchema,
  "connection.created": ConnectionFieldsSchema,
  "connection.refreshed": ConnectionFieldsSchema,
  "connection.updated": ConnectionFieldsSchema,
  "connection.deleted": ConnectionFieldsSchema,
  "connection.error": ConnectionErrorSchema,
  "destination.webhook.disabled": DestinationWebhookDisabledSchema,
  "installation.health.changed": InstallationHealthChangedSchema,
  "agent.approval.requested": ApprovalEventSchema,
  "agent.approval.decided": ApprovalEventSchema,
} as const satisfies Record<string, TObject>;

export type EventType = keyof typeof EVENT_DATA;

// `Object.keys` returns string[]; the object above has these keys and no others.
export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

/** An event to record; built by the functions of this folder. */
export type NewEvent = {
  [Type in EventType]: { projectId: string; type: Type; data: Static<(typeof EVENT_DATA)[Type]> };
}[EventType];
