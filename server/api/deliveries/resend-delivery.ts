/** POST …/destinations/{destination}/deliveries/{deliveryId}:resend */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
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
      "Sends the message again with the same id, whatever its state, and restarts the retry schedule. A " +
      "waiting delivery is sent now.",
    params: Type.Object({
      destination: DestinationIdOrName,
      deliveryId: Type.String({ description: "Id of the delivery, which is the id of the message." }),
    }),
    role: "support",
    success: { status: 200, description: "The delivery, waiting.", schema: DeliverySchema },
    refusals: { 409: "The destination is disabled, or the delivery is being sent." },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      requireEnabled(destination);
      const row = await findDelivery(queries, destination.id, params.deliveryId);
      if (!row) {
        throw new Problem("not-found", {
          detail: `\`${destination.name}\` has no delivery \`${params.deliveryId}\`. Old deliveries are removed.`,
        });
      }
      if (!(await resend(queries, destination.id, row.eventId))) {
        throw new Problem("conflict", {
          detail: "This delivery is being sent. Try again when the attempt has ended.",
          retryable: true,
        });
      }
      return toDelivery((await findDelivery(queries, destination.id, row.eventId)) ?? row);
    },
  });
