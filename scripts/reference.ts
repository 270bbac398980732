/** Everything that openapi.json says beside the routes, put together. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { API_VERSION, INTRODUCTION, TAGS } from "../server/api/docs/reference.ts";
import { EVENT_TYPES } from "../server/events/event-types.ts";
import { notification } from "../server/events/notification.ts";
import type { Reference } from "../server/http/openapi.ts";

const EXAMPLES = join(import.meta.dirname, "../server/api/docs/examples.json");

export const readReference = async (): Promise<Reference> => ({
  version: API_VERSION,
  introduction: INTRODUCTION,
  tags: TAGS,
  webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, notification(type)])),
  examples: JSON.parse(await readFile(EXAMPLES, "utf8")),
});
