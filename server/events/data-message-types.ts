/** Types of data messages, which are stored as events for one fixed destination and cannot be routed. */

/** What an event row has as `type`, in place of an event type. */
export const DATA_MESSAGE_TYPES = ["read", "schema.watch", "subscribe"] as const;
