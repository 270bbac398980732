/** GET /v1/projects/{projectIdOrName}/events */
import { Type } from "typebox";
import { DATA_MESSAGE_TYPES } from "../../events/data-message-types.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listEvents as listRows } from "../../store/event-pages.ts";
import { ConnectionId, GroupRef, InstallationId, OperationId } from "../members.ts";
import { listQuery, onePage, pageSchema, periodQuery, textQuery } from "../pages.ts";
import { EventSchema, toEvents } from "./event.ts";

export const listEvents = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listEvents",
    tag: "Events",
    summary: "List events",
    description:
      "In pages, newest first, with where each went, also nowhere. Data messages (`read`, `subscribe`, `schema.watch`) are " +
      "many: they are listed with `groupRef`, `installationId`, or their `type`. Each page looks at " +
      "20,000 events at most, so with filters other than `type`, `nowhere` and the period it may be short, even empty, " +
      "although there is another page.",
    query: Type.Object({
      type: Type.Optional(
        Type.Enum([...EVENT_TYPES, ...DATA_MESSAGE_TYPES], {
          description: "Return only events or data messages of this type.",
        }),
      ),
      groupRef: Type.Optional(GroupRef),
      connectionId: Type.Optional(ConnectionId),
      installationId: Type.Optional(InstallationId),
      operationId: Type.Optional(OperationId),
      nowhere: Type.Optional(
        Type.Boolean({ description: "True: only events that went nowhere; false: only others." }),
      ),
      ...textQuery("id, type, or a member of the data"),
      ...listQuery,
      ...periodQuery,
    }),
    success: { status: 200, description: "A page.", schema: pageSchema(EventSchema) },
    hasEntityTag: true,
    async handle({ project, query }) {
      const { queries } = deps.database;
      const { type, nowhere, text, groupRef, connectionId, installationId, operationId } = query;
      const members = Object.fromEntries(
        Object.entries({ groupRef, connectionId, installationId, operationId }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      const hasMessages = nowhere !== true && (groupRef ?? installationId) !== undefined;
      const types = EVENT_TYPES.filter((one) => type === undefined || type === one);
      const messageTypes = DATA_MESSAGE_TYPES.filter((one) =>
        type === undefined ? hasMessages : type === one,
      );
      const of = { projectId: project.id, types, messageTypes, members, nowhere, text };
      const page = await onePage(query, {
        list: (range) => listRows(queries, { ...of, range }),
        show: (row) => row,
      });
      return { ...page, results: await toEvents(queries, project.id, page.results) };
    },
  });
