/** The event types of a Busbar. A test compares the list with the server's. */
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
];
