/** GET …/destinations/{destination}/deliveries/{deliveryId} */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findDelivery } from "../../store/delivery-lists.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { DeliveryWithDataSchema, toDelivery } from "./delivery.ts";

export const getDelivery = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getDelivery",
    tag: "Deliveries",
    summary: "Get a delivery",
    description: "Returns the delivery with its attempts and the data of the event.",
    params: Type.Object({
      destination: DestinationIdOrName,
      deliveryId: Type.String({ description: "Id of the delivery, which is the id of the message." }),
    }),
    success: { status: 200, description: "The delivery.", schema: DeliveryWithDataSchema },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      const row = await findDelivery(queries, destination.id, params.deliveryId);
      if (row) return { ...toDelivery(row), data: JSON.parse(row.data) as unknown };
      throw new Problem("not-found", {
        detail: `\`${destination.name}\` has no delivery \`${params.deliveryId}\`. Old deliveries are removed.`,
      });
    },
  });
