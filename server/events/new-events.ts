/**
 * Builds the events that are recorded, by one function for each type. `config` is the whole content of a configuration; `objectName` is
 * the name that messages of the object carry.
 */
import type { HealthReasonFields, InstallationFields, ConnectionFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";
import type { Approval } from "./approval-schema.ts";

export const buildInstallationCreated = (fields: InstallationFields, config: object): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.created",
  data: { ...fields, config },
});

export const buildInstallationUpdated = (
  fields: InstallationFields,
  config: object,
  lastConfig: object,
): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.updated",
  data: { ...fields, config, lastConfig },
});

export const buildInstallationDeleted = (fields: InstallationFields, config: object): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.deleted",
  data: { ...fields, config },
});

/** Builds the event of a changed health. Without reasons the installation is healthy again. */
export const buildInstallationHealthChanged = (
  fields: InstallationFields,
  healthReasons: HealthReasonFields[],
): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.health.changed",
  data: { ...fields, healthStatus: healthReasons.length > 0 ? "unhealthy" : "healthy", healthReasons },
});

/** Builds an event of a connection: `created`, `updated` and `deleted` are caused by people, `refreshed` by a token refresh. */
export const buildConnectionEvent = (
  what: "created" | "refreshed" | "updated" | "deleted",
  fields: ConnectionFields,
): NewEvent => ({ projectId: fields.projectId, type: `connection.${what}`, data: fields });

/** Builds the event of a connection that was refused. `errors` are sentences for people, without secrets. */
export const buildConnectionError = (fields: ConnectionFields, errors: string[]): NewEvent => ({
  projectId: fields.projectId,
  type: "connection.error",
  data: { ...fields, errors, error: errors },
});

/** Builds the events for connections that were deleted together with their last installation. */
export function buildConnectionsRemoved(
  removedIds: string[],
  installations: InstallationFields[],
): NewEvent[] {
  const byId = new Map(installations.map((fields) => [fields.connectionId, fields]));
  return removedIds.flatMap((id) => {
    const fields = byId.get(id);
    if (!fields) return [];
    const { projectId, connectionId, provider, groupRef, consumerRef, consumerName } = fields;
    return [
      buildConnectionEvent("deleted", {
        projectId,
        connectionId,
        provider,
        groupRef,
        consumerRef,
        consumerName,
      }),
    ];
  });
}

/** Returns an event's fields about a connection, from its row. */
export const pickConnectionFields = (row: {
  id: string;
  projectId: string;
  provider: string;
  group: { groupRef: string };
  consumer: { consumerRef: string; consumerName: string };
}): ConnectionFields => ({
  projectId: row.projectId,
  connectionId: row.id,
  provider: row.provider,
  groupRef: row.group.groupRef,
  consumerRef: row.consumer.consumerRef,
  consumerName: row.consumer.consumerName,
});

/** The time span of a triggered read. */
export interface ReadSpan {
  objectName: string;
  from?: Date;
  until?: Date;
}

export const readBackfillDone = (
  fields: InstallationFields,
  read: { objectName: string; operationId: string; recordsRead: number; recordsInMessages: number },
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
  data: { ...fields, ...buildSpanData(span) },
});

export const readTriggeredError = (fields: InstallationFields, span: ReadSpan, error: string): NewEvent => ({
  projectId: fields.projectId,
  type: "read.triggered.error",
  data: { ...fields, ...buildSpanData(span), error },
});

export const subscribeCreateError = (fields: InstallationFields, error: string): NewEvent => ({
  projectId: fields.projectId,
  type: "subscribe.create.error",
  data: { ...fields, error },
});

const buildSpanData = ({ objectName, from, until }: ReadSpan) => ({
  objectName,
  ...(from && { fromTimestamp: from.toISOString() }),
  ...(until && { untilTimestamp: until.toISOString() }),
});

/** How an asynchronous write has ended. */
interface WriteEnd {
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

/** For a destination that was disabled after failed deliveries. */
export const buildWebhookDisabled = (destination: {
  id: string;
  projectId: string;
  name: string;
  url: string;
}): NewEvent => ({
  projectId: destination.projectId,
  type: "destination.webhook.disabled",
  data: {
    projectId: destination.projectId,
    destinationId: destination.id,
    destinationName: destination.name,
    url: destination.url,
  },
});

export const buildApprovalRequested = (projectId: string, approval: Approval): NewEvent => ({
  projectId,
  type: "agent.approval.requested",
  data: { approval },
});

export const buildApprovalDecided = (projectId: string, approval: Approval): NewEvent => ({
  projectId,
  type: "agent.approval.decided",
  data: { approval },
});
