/** GET /v1/projects/{projectIdOrName}/destinations/{destination}/deliveries */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listDeliveries as listRows } from "../../store/delivery-pages.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { listQuery, onePage, pageSchema, periodQuery } from "../pages.ts";
import {
  DeliverySchema,
  EventTypeFilter,
  findSubject,
  isDeliveryToken,
  StatusSchema,
  subjectQuery,
  toDelivery,
} from "./delivery.ts";

export const listDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listDeliveries",
    tag: "Deliveries",
    summary: "List deliveries of a destination",
    description:
      "In pages, newest event first, with attempts. A page of a list with `type`, `groupRef`, " +
      "`integration`, `object`, `kind` or `status=delivered` may be short, even empty, although there is another page: each page looks at 20,000 deliveries at most.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({
      status: Type.Optional(StatusSchema),
      type: EventTypeFilter,
      ...subjectQuery,
      ...listQuery,
      ...periodQuery,
    }),
    success: {
      status: 200,
      description: "A page.",
      schema: pageSchema(DeliverySchema),
    },
    hasEntityTag: true,
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const { id } = await getDestinationRow(queries, project.id, params.destination);
      const { status: state, type } = query;
      const subject = await findSubject(queries, project.id, query);
      return onePage(query, {
        isToken: isDeliveryToken,
        list: async (range) =>
          subject
            ? listRows(queries, { projectId: project.id, destinationId: id, state, type, ...subject, range })
            : [],
        show: toDelivery,
      });
    },
  });
