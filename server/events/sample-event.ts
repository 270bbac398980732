/** Builds sample events for testing a destination. */
import {
  buildApprovalDecided,
  buildApprovalRequested,
  buildConnectionError,
  buildConnectionEvent,
  buildWebhookDisabled,
  buildInstallationCreated,
  buildInstallationDeleted,
  buildInstallationHealthChanged,
  buildInstallationUpdated,
  readBackfillDone,
  readSchedulePaused,
  readTriggeredDone,
  readTriggeredError,
  subscribeCreateError,
  writeAsyncDone,
} from "./new-events.ts";
import type { Approval } from "./approval-schema.ts";
import type { ConnectionFields, InstallationFields } from "./event-data.ts";
import type { EventType, NewEvent } from "./event-types.ts";

const ID = "00000000-0000-7000-8000-000000000000";
const CONFIG = { provider: "hubspot" };
const SPAN = { objectName: "contacts", from: new Date(0), until: new Date(1000) };

/** Returns a sample of this type for a project; its ids and names are made up. */
export function sampleEvent(type: EventType, projectId: string): NewEvent {
  const connection: ConnectionFields = {
    projectId,
    connectionId: ID,
    provider: "hubspot",
    groupRef: "sample-group",
    consumerRef: "sample-consumer",
    consumerName: "Sample Consumer",
  };
  const fields: InstallationFields = {
    ...connection,
    groupName: "Sample Group",
    integrationId: ID,
    integrationName: "sample-integration",
    installationId: ID,
  };
  const samples: Record<EventType, () => NewEvent> = {
    "installation.created": () => buildInstallationCreated(fields, CONFIG),
    "installation.updated": () => buildInstallationUpdated(fields, CONFIG, CONFIG),
    "installation.deleted": () => buildInstallationDeleted(fields, CONFIG),
    "read.backfill.done": () =>
      readBackfillDone(fields, {
        objectName: "contacts",
        operationId: ID,
        recordsRead: 120,
        recordsInMessages: 118,
      }),
    "read.schedule.paused": () => readSchedulePaused(fields, CONFIG, "The credentials were refused."),
    "read.triggered.done": () => readTriggeredDone(fields, SPAN),
    "read.triggered.error": () => readTriggeredError(fields, SPAN, "The provider did not answer."),
    "write.async.done": () => writeAsyncDone(fields, WRITE_END),
    "subscribe.create.error": () => subscribeCreateError(fields, "The provider refused the subscription."),
    "connection.created": () => buildConnectionEvent("created", connection),
    "connection.refreshed": () => buildConnectionEvent("refreshed", connection),
    "connection.updated": () => buildConnectionEvent("updated", connection),
    "connection.deleted": () => buildConnectionEvent("deleted", connection),
    "connection.error": () => buildConnectionError(connection, ["The refresh token was refused."]),
    "destination.webhook.disabled": () =>
      buildWebhookDisabled({ id: ID, projectId, name: "sample", url: "https://example.com/hooks" }),
    "installation.health.changed": () =>
      buildInstallationHealthChanged(fields, [
        { type: "field", name: "email", detail: "The account has no such field.", since: DECIDED },
      ]),
    "agent.approval.requested": () => buildApprovalRequested(projectId, APPROVAL),
    "agent.approval.decided": () =>
      buildApprovalDecided(projectId, {
        ...APPROVAL,
        status: "approved",
        decideTime: DECIDED,
        decidedBy: PERSON,
      }),
  };
  return samples[type]();
}

const DECIDED = "2026-01-01T00:05:00.000Z";
const PERSON = { kind: "person" as const, id: ID, name: "Sample Person" };

const APPROVAL: Approval = {
  id: ID,
  status: "pending",
  tool: "update_record",
  groupRef: "sample-group",
  integration: "sample-integration",
  object: "contact",
  recordId: "101",
  arguments: { object: "contact", id: "101", record: { email: "new@example.com" } },
  argumentsHash: "5f0c9d1a4e7b3c2f8a6d5e4b3c2a1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a",
  before: { email: "old@example.com" },
  after: { email: "new@example.com" },
  actor: { kind: "agent", id: ID, name: "sample-key", client: "Sample Assistant 1.0" },
  createTime: "2026-01-01T00:00:00.000Z",
  expireTime: "2026-01-02T00:00:00.000Z",
};

const WRITE_END = {
  operationId: ID,
  objectName: "contacts",
  success: true,
  successfulRecordIds: ["101"],
  errors: [],
};
