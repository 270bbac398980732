/** Describes each type of event for people who choose types, and says which types do not occur yet. */
import type { EventType } from "./event-types.ts";

export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  "installation.created": "A customer has installed an integration.",
  "installation.updated":
    "An installation's configuration was changed; contains the new one and the last one.",
  "installation.deleted": "An installation was deleted; contains its last configuration.",
  "read.backfill.done": "The first complete read of an object has ended.",
  "read.schedule.paused": "Reading an object was paused, because it fails.",
  "read.triggered.done": "A read that was requested has ended.",
  "read.triggered.error": "A read that was requested has failed.",
  "write.async.done": "An asynchronous write has ended, with success or not.",
  "subscribe.create.error": "A subscription to changes could not be created at the provider.",
  "connection.created": "A customer has connected an account.",
  "connection.refreshed": "The access token of a connection was refreshed.",
  "connection.updated": "The credentials or settings of a connection were changed.",
  "connection.deleted": "A connection was deleted, by a request or with its last installation.",
  "connection.error": "The provider rejects the credentials of a connection.",
  "destination.webhook.disabled":
    "A webhook was disabled after failed deliveries. Other destinations get it.",
  "installation.health.changed":
    "An installation is no longer healthy, is so for other reasons, or is healthy again; contains the reasons.",
  "agent.approval.requested":
    "An agent wants to do something that needs a decision; contains the act with before and after.",
  "agent.approval.decided": "An act of an agent was approved or rejected.",
};

/** Routes may name these types, but no event of them occurs yet. */
export const UNBUILT_EVENTS: readonly EventType[] = ["subscribe.create.error"];

/** Types of data messages, which are stored as events for one fixed destination and cannot be routed: the `type` of their rows. */
export const DATA_MESSAGE_TYPES = ["read", "schema.watch", "subscribe"] as const;
