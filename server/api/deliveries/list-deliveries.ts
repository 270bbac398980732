/** GET /v1/projects/{projectIdOrName}/destinations/{destination}/deliveries */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listDeliveries as listRows } from "../../store/delivery-lists.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { onePage, pageQuery, pageSchema } from "../pages.ts";
import { DeliverySchema, StatusSchema, toDelivery } from "./delivery.ts";

const PAGE = { usual: 50, maximum: 200 };

export const listDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listDeliveries",
    tag: "Deliveries",
    summary: "List deliveries of a destination",
    description: "In pages, newest event first, with attempts.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({
      status: Type.Optional(StatusSchema),
      ...pageQuery(PAGE),
    }),
    success: {
      status: 200,
      description: "A page.",
      schema: pageSchema(DeliverySchema),
    },
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const { id } = await getDestinationRow(queries, project.id, params.destination);
      return onePage(query, {
        ...PAGE,
        list: (page) => listRows(queries, { destinationId: id, state: query.status, ...page }),
        show: toDelivery,
      });
    },
  });
