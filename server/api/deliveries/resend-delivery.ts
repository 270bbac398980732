/** POST …/destinations/{destination}/deliveries/{deliveryId}:resend */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findDelivery, resendDelivery as resend } from "../../store/delivery-lists.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { DeliverySchema, toDelivery } from "./delivery.ts";
import { requireEnabled } from "./require-enabled.ts";

export const resendDelivery = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "resendDelivery",
    tag: "Deliveries",
    summary: "Resend a delivery",
    description:
      "Sends the message again with the same id, whatever came of it before, and repeats it from the beginning of the " +
      "schedule. One that waits is sent now.",
    params: Type.Object({
      destination: DestinationIdOrName,
      deliveryId: Type.String({ description: "Id of the delivery, which is the id of the message." }),
    }),
    success: { status: 200, description: "The delivery, waiting.", schema: DeliverySchema },
    refusals: { 409: "The destination is disabled, or the delivery is being sent at this moment." },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      requireEnabled(destination);
      const row = await findDelivery(queries, destination.id, params.deliveryId);
      if (!row) {
        throw new Problem("not-found", {
          detail: `\`${destination.name}\` has no delivery \`${params.deliveryId}\`. Old ones are removed.`,
        });
      }
      if (!(await resend(queries, destination.id, row.eventId))) {
        throw new Problem("conflict", { detail: "This delivery is being sent at this moment." });
      }
      return toDelivery((await findDelivery(queries, destination.id, row.eventId)) ?? row);
    },
  });
