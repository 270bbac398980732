/** Data of events and data messages that is too large for a message, as files. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { isJsonObject, type Json } from "../../../ground/json.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { readEventFileToken } from "../../deliver/event-files.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { findInShards } from "../../store/shards/ask-shards.ts";
import { listEventsById } from "../../store/deliveries/events.ts";

export const listEventFileRoutes = (deps: { database: Database; sealer: Sealer }): Route[] => [
  route("GET /v1/event-files/{token}", "public", getEventFile(deps)),
];

const getEventFile = (deps: { database: Database; sealer: Sealer }) =>
  endpoint({
    operationId: "getEventFile",
    tag: "Deliveries",
    summary: "Get large event data",
    description:
      "If a member of an event is too large for a message, or the `result` of a data message, the message " +
      "contains a URL of this endpoint instead. The URL is valid for 15 minutes and needs no credential. " +
      "Every attempt to deliver the message contains a new URL.",
    params: Type.Object({ token: Type.String({ description: "Token from the URL in the message." }) }),
    success: { status: 200, description: "The member of the event.", schema: Type.Unknown() },
    async handle({ params }) {
      const file = readEventFileToken(deps.sealer, params.token);
      const find = async (data: DataQueries, id: string) => (await listEventsById(data, [id])).get(id);
      const event = file && (await findInShards(deps.database, (data) => find(data, file.eventId)))?.row;
      const data: Json = event ? JSON.parse(event.data) : null;
      const content = file && isJsonObject(data) ? data[file.member] : undefined;
      if (content !== undefined) return content;
      throw new Problem("not-found", {
        detail: "This URL is invalid or older than 15 minutes. Resend the delivery to get a new one.",
      });
    },
  });
