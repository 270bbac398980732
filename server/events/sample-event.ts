/** Builds sample events for testing a destination. */
import {
  approvalDecided,
  approvalRequested,
  connectionError,
  connectionEvent,
  destinationWebhookDisabled,
  installationCreated,
  installationDeleted,
  installationHealthChanged,
  installationUpdated,
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
    "installation.created": () => installationCreated(fields, CONFIG),
    "installation.updated": () => installationUpdated(fields, CONFIG, CONFIG),
    "installation.deleted": () => installationDeleted(fields, CONFIG),
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
    "connection.created": () => connectionEvent("created", connection),
    "connection.refreshed": () => connectionEvent("refreshed", connection),
    "connection.updated": () => connectionEvent("updated", connection),
    "connection.deleted": () => connectionEvent("deleted", connection),
    "connection.error": () => connectionError(connection, ["The refresh token was refused."]),
    "destination.webhook.disabled": () =>
      destinationWebhookDisabled({ id: ID, projectId, name: "sample", url: "https://example.com/hooks" }),
    "installation.health.changed": () =>
      installationHealthChanged(fields, [
        { type: "field", name: "email", detail: "The account has no such field.", since: DECIDED },
      ]),
    "agent.approval.requested": () => approvalRequested(projectId, APPROVAL),
    "agent.approval.decided": () =>
      approvalDecided(projectId, { ...APPROVAL, status: "approved", decideTime: DECIDED, decidedBy: PERSON }),
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
