/** GET /v1/projects/{projectIdOrName}/deliveries:search */
import { Type } from "typebox";
import { isUuid } from "../../../ground/ids.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { deliveryToken, listDeliveries } from "../../store/delivery-pages.ts";
import { findDestination } from "../../store/destinations.ts";
import { listQuery, onePage, pageSchema, periodQuery } from "../pages.ts";
import {
  EventTypeFilter,
  findSubject,
  isDeliveryToken,
  ProjectDeliverySchema,
  StatusSchema,
  subjectQuery,
  toProjectDelivery,
} from "./delivery.ts";

export const listProjectDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectDeliveries",
    tag: "Deliveries",
    summary: "List deliveries of a project",
    description:
      "Deliveries to all destinations, in pages, newest event first, with attempts. A page of a list with `type`, " +
      "`groupRef`, `integration`, `object`, `kind` or `status=delivered` may be short, even empty, although there is another page: each page looks at " +
      "20,000 deliveries at most, divided by the destinations.",
    query: Type.Object({
      status: Type.Optional(StatusSchema),
      type: EventTypeFilter,
      destination: Type.Optional(
        Type.String({ description: "Id or name: return only deliveries to this destination." }),
      ),
      eventId: Type.Optional(Type.String({ description: "Return only deliveries of this event." })),
      ...subjectQuery,
      ...listQuery,
      ...periodQuery,
    }),
    success: { status: 200, description: "A page.", schema: pageSchema(ProjectDeliverySchema) },
    hasEntityTag: true,
    async handle({ project, query }) {
      const { queries } = deps.database;
      const { status: state, type, destination, eventId } = query;
      const subject = await findSubject(queries, project.id, query);
      const destinationId =
        destination === undefined ? undefined : (await findDestination(queries, project.id, destination))?.id;
      const isNothing =
        (destination !== undefined && destinationId === undefined) ||
        (eventId !== undefined && !isUuid(eventId));
      return onePage(query, {
        isToken: isDeliveryToken,
        getPageToken: (row) => deliveryToken(row.id, row.destinationId),
        list: async (range) =>
          isNothing || !subject
            ? []
            : listDeliveries(queries, {
                projectId: project.id,
                destinationId,
                eventId,
                state,
                type,
                ...subject,
                range,
              }),
        show: toProjectDelivery,
      });
    },
  });
