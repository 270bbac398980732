/** GET /v1/projects/{projectIdOrName}/events/{eventId} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findEvent, listTopicsOfEvent } from "../../store/event-pages.ts";
import { EventWithDataSchema, toEvents } from "./event.ts";

export const getEvent = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getEvent",
    tag: "Events",
    summary: "Get an event",
    description: "With its data and where it went. Finds data messages too.",
    params: Type.Object({ eventId: Type.String({ description: "Id of the event." }) }),
    success: { status: 200, description: "The event.", schema: EventWithDataSchema },
    hasEntityTag: true,
    async handle({ project, params }) {
      const { queries } = deps.database;
      const row = await findEvent(queries, project.id, params.eventId);
      const [event] = await toEvents(queries, project.id, row ? [row] : []);
      if (!row || !event) {
        throw new Problem("not-found", {
          detail: `There is no event \`${params.eventId}\` in this project. Old events are removed.`,
        });
      }
      const topics = await listTopicsOfEvent(queries, row.id);
      return { ...event, data: JSON.parse(row.data) as unknown, topics };
    },
  });
