/** GET /v1/projects/{projectIdOrName}/destinations/{destination}/deliveries */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listDeliveries as listRows } from "../../store/delivery-lists.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DeliverySchema, StatusSchema, toDelivery } from "./delivery.ts";

export const listDeliveries = (on: { database: Database }) =>
  projectEndpoint({
    operationId: "listDeliveries",
    tag: "Deliveries",
    summary: "List deliveries of a destination",
    description: "The newest event first, in pages, each with its attempts.",
    params: Type.Object({ destination: Type.String() }),
    query: Type.Object({
      status: Type.Optional(StatusSchema),
      pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Default 50." })),
      pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the page before." })),
    }),
    success: {
      status: 200,
      description: "A page.",
      schema: Type.Object({
        results: Type.Array(DeliverySchema),
        pagination: Type.Object({ done: Type.Boolean(), nextPageToken: Type.Optional(Type.String()) }),
      }),
    },
    async handle({ project, params, query }) {
      const { pageSize = 50, pageToken, status } = query;
      if (pageToken !== undefined && !isUuid(pageToken)) {
        const detail = "pageToken: is not one that this list gave out. Start without it.";
        throw new Problem("invalid-request", {
          detail,
          issues: [{ in: "query", name: "pageToken", detail }],
        });
      }
      const { queries } = on.database;
      const { id: destinationId } = await getDestinationRow(queries, project.id, params.destination);
      const page = { destinationId, state: status, before: pageToken, limit: pageSize + 1 };
      const rows = await listRows(queries, page);
      const results = rows.slice(0, pageSize).map(toDelivery);
      const done = rows.length <= pageSize;
      return { results, pagination: { done, ...(!done && { nextPageToken: results.at(-1)?.id }) } };
    },
  });
