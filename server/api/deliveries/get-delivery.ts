/** GET …/destinations/{destination}/deliveries/{deliveryId} */
import { Type } from "typebox";
import { restoreRequests } from "../../deliver/sent-request.ts";
import { Problem } from "../../../ground/errors.ts";
import { shownAddress } from "../../../destination-kit/shown-address.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findDelivery } from "../../store/delivery-lists.ts";
import { getDestinationRow, maySeeSecrets } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { DeliveryWithDataSchema, toDelivery } from "./delivery.ts";

export const getDelivery = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getDelivery",
    tag: "Deliveries",
    summary: "Get a delivery",
    description:
      "Returns the delivery with its attempts and the data of the event. Attempts of webhooks have the " +
      "`request` as it was sent; secrets in its `url` are shown to callers who may change the destination.",
    params: Type.Object({
      destination: DestinationIdOrName,
      deliveryId: Type.String({ description: "Id of the delivery, which is the id of the message." }),
    }),
    success: { status: 200, description: "The delivery.", schema: DeliveryWithDataSchema },
    hasEntityTag: true,
    async handle({ project, caller, params }) {
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      const row = await findDelivery(queries, destination.id, params.deliveryId);
      if (!row) {
        throw new Problem("not-found", {
          detail: `\`${destination.name}\` has no delivery \`${params.deliveryId}\`. Old deliveries are removed.`,
        });
      }
      const { eventId: id, type, kind, data, createTime } = row;
      const showRequest = restoreRequests(destination, {
        id,
        projectId: project.id,
        type,
        kind,
        data,
        createTime,
      });
      const showAddress = maySeeSecrets(caller) ? (url: string) => url : shownAddress;
      const attempts = row.attempts.map(({ sent, ...attempt }) => {
        const request = showRequest(sent);
        return { ...attempt, ...(request && { request: { ...request, url: showAddress(request.url) } }) };
      });
      return { ...toDelivery(row), attempts, data: JSON.parse(data) as unknown };
    },
  });
