/** Everything that openapi.json says beside the routes, put together. */
import { API_VERSION, INTRODUCTION, TAGS } from "../server/api/docs/reference.ts";
import { EVENT_TYPES } from "../server/events/event-types.ts";
import { buildNotificationSchema } from "../server/events/notification.ts";
import { ReadMessageSchema } from "../server/events/read-message-schema.ts";
import { SchemaMessageSchema } from "../server/events/schema-message-schema.ts";
import { SubscribeMessageSchema } from "../server/events/subscribe-message-schema.ts";
import type { Reference } from "../server/http/openapi/openapi.ts";

export const REFERENCE: Reference = {
  version: API_VERSION,
  introduction: INTRODUCTION,
  tags: TAGS,
  webhooks: {
    ...Object.fromEntries(EVENT_TYPES.map((type) => [type, buildNotificationSchema(type)])),
    read: ReadMessageSchema,
    subscribe: SubscribeMessageSchema,
    "schema.watch": SchemaMessageSchema,
  },
};
