/** GET /v1/projects/{projectIdOrName}/deliveries */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listWaitingDeliveries as listRows } from "../../store/delivery-lists.ts";
import { DeliverySchema, toDelivery } from "./delivery.ts";

export const listWaitingDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listWaitingDeliveries",
    tag: "Deliveries",
    summary: "List waiting deliveries",
    description:
      "Deliveries of all destinations that are `sending` or `waiting`, ordered by the time of the next attempt.",
    query: Type.Object({
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: "Maximum number. Default 50." }),
      ),
    }),
    success: { status: 200, description: "The deliveries.", schema: Type.Array(DeliverySchema) },
    handle: async ({ project, query }) =>
      (await listRows(deps.database.queries, project.id, query.pageSize ?? 50)).map(toDelivery),
  });
