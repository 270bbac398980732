/** Deliveries: the endpoints that list, show and repeat them. */
import { Type } from "typebox";
import { maskAddress } from "../../../destination-kit/mask-address.ts";
import { isUuid } from "../../../ground/ids.ts";
import { restoreRequests } from "../../deliver/destinations/sent-request.ts";
import { Page, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { listWaitingDeliveries as listRows } from "../../store/deliveries/delivery-lists.ts";
import { type AskedShards, askPresent, keepOnce, listInShards } from "../../store/shards/ask-shards.ts";
import {
  type DeliveryFilter,
  type DeliveryRow,
  toDeliveryToken,
  listDeliveries as listDeliveryRows,
} from "../../store/deliveries/delivery-pages.ts";
import { findDestination } from "../../store/deliveries/destinations.ts";
import { getDestinationRow, maySeeSecrets } from "../destinations/destination.ts";
import { chooseShards, type InShards } from "../run-in-shard.ts";
import { DestinationIdOrName } from "../members.ts";
import { listQuery, listPage, describePage, periodQuery } from "../pages.ts";
import { DESTINATION, PROJECT } from "../paths.ts";
import {
  DeliverySchema,
  DeliveryWithDataSchema,
  EventTypeFilter,
  findSubject,
  getDelivered,
  isDeliveryToken,
  ProjectDeliverySchema,
  StatusSchema,
  subjectQuery,
  toDelivery,
  toProjectDelivery,
} from "./delivery.ts";
import { resendDeliveries, resendDelivery } from "./resend-deliveries.ts";

export const listDeliveryRoutes = (deps: InShards): Route[] => [
  route(`GET ${PROJECT}/deliveries`, "full", listWaitingDeliveries(deps)),
  route(`GET ${PROJECT}/deliveries:search`, "full", listProjectDeliveries(deps)),
  route(`GET ${DESTINATION}/deliveries`, "full", listDeliveries(deps)),
  route(`POST ${DESTINATION}/deliveries:resend`, "full", resendDeliveries(deps)),
  route(`GET ${DESTINATION}/deliveries/{deliveryId}`, "full", getDelivery(deps)),
  route(`POST ${DESTINATION}/deliveries/{deliveryId}:resend`, "full", resendDelivery(deps)),
];

const listProjectDeliveries = (deps: InShards) =>
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
    success: { status: 200, description: "A page.", schema: describePage(ProjectDeliverySchema) },
    hasEntityTag: true,
    async handle({ project, query }) {
      const { control } = deps.database;
      const { status: state, type, destination, eventId } = query;
      const subject = await findSubject(control, project.id, query);
      const destinationId =
        destination === undefined ? undefined : (await findDestination(control, project.id, destination))?.id;
      const isNothing =
        (destination !== undefined && destinationId === undefined) ||
        (eventId !== undefined && !isUuid(eventId));
      return listPage(query, {
        isToken: isDeliveryToken,
        getPageToken: (row) => toDeliveryToken(row.id, row.destinationId),
        list: async (range) =>
          isNothing || !subject
            ? []
            : listRowsInShards(await chooseShards(deps, project.id, query), {
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

const listWaitingDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listWaitingDeliveries",
    tag: "Deliveries",
    summary: "List waiting deliveries",
    description:
      "Deliveries of all destinations that are `sending` or `waiting`, ordered by the time of the next attempt. While databases of customers (shards) are away, the " +
      "answer has a header `Busbar-Unavailable` with their names, divided by commas: what they have of this list is missing, and nothing follows from that.",
    query: Type.Object({
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: "Maximum number. Default 50." }),
      ),
    }),
    success: { status: 200, description: "The deliveries.", schema: Type.Array(DeliverySchema) },
    async handle({ project, query }) {
      const { pageSize = 50 } = query;
      const { answers, unavailable } = await askPresent(deps.database, async (data, { shard }) => ({
        shard,
        rows: await listRows(data, project.id, pageSize),
      }));
      const getKey = ({ eventId, destinationId }: DeliveryRow) => toDeliveryToken(eventId, destinationId);
      const deliveries = keepOnce({}, answers, getKey)
        .toSorted((one, other) => one.dueTime.getTime() - other.dueTime.getTime())
        .slice(0, pageSize)
        .map(toDelivery);
      if (unavailable.length === 0) return deliveries;
      return new Page(JSON.stringify(deliveries), {
        status: 200,
        headers: { "busbar-unavailable": unavailable.join(", ") },
        mediaType: "application/json",
      });
    },
  });

const listDeliveries = (deps: InShards) =>
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
      schema: describePage(DeliverySchema),
    },
    hasEntityTag: true,
    async handle({ project, params, query }) {
      const { control } = deps.database;
      const { id } = await getDestinationRow(control, project.id, params.destination);
      const { status: state, type } = query;
      const subject = await findSubject(control, project.id, query);
      return listPage(query, {
        isToken: isDeliveryToken,
        list: async (range) =>
          subject
            ? listRowsInShards(await chooseShards(deps, project.id, query), {
                projectId: project.id,
                destinationId: id,
                state,
                type,
                ...subject,
                range,
              })
            : [],
        show: toDelivery,
      });
    },
  });

const listRowsInShards = (shards: AskedShards<Database>, filter: DeliveryFilter) =>
  listInShards(shards, (data) => listDeliveryRows(data, filter), {
    ...filter.range,
    getPosition: ({ eventId, destinationId }) => toDeliveryToken(eventId, destinationId),
  });

const getDelivery = (deps: InShards) =>
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
      const destination = await getDestinationRow(deps.database.control, project.id, params.destination);
      const { row } = await getDelivered(deps, destination, params.deliveryId);
      const { eventId: id, type, kind, data, createTime } = row;
      const buildRequest = restoreRequests(destination, {
        id,
        projectId: project.id,
        type,
        kind,
        data,
        createTime,
      });
      const getAddress = maySeeSecrets(caller) ? (url: string) => url : maskAddress;
      const attempts = row.attempts.map(({ sent, ...attempt }) => {
        const request = buildRequest(sent);
        return { ...attempt, ...(request && { request: { ...request, url: getAddress(request.url) } }) };
      });
      return { ...toDelivery(row), attempts, data: JSON.parse(data) as unknown };
    },
  });
