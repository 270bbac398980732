/** Deliveries: the endpoints that list, show and repeat them. */
import { type Static, Type } from "typebox";
import { maskAddress } from "../../../destination-kit/mask-address.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { buildFirstId, isUuid } from "../../../ground/ids.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { restoreRequests } from "../../deliver/destinations/sent-request.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import type { DeliveryState } from "../../store/deliveries/deliveries.ts";
import {
  countResendable,
  findDelivery,
  listWaitingDeliveries as listRows,
  type ResendChoice,
  resendDeliveries as resendRange,
  resendDelivery as resend,
} from "../../store/deliveries/delivery-lists.ts";
import { askShards, findInShards, listInShards } from "../../store/shards/ask-shards.ts";
import {
  type DeliveryFilter,
  toDeliveryToken,
  listDeliveries as listDeliveryRows,
} from "../../store/deliveries/delivery-pages.ts";
import { type DestinationRow, findDestination } from "../../store/deliveries/destinations.ts";
import { readMembers } from "../../store/deliveries/delivery-subjects.ts";
import { getDestinationRow, maySeeSecrets } from "../destinations/destination.ts";
import { chooseShards, type InShards } from "../in-shard.ts";
import { DestinationIdOrName } from "../members.ts";
import { listQuery, onePage, pageSchema, periodQuery } from "../pages.ts";
import { DESTINATION, PROJECT } from "../paths.ts";
import {
  DeliverySchema,
  DeliveryWithDataSchema,
  EventTypeFilter,
  findSubject,
  isDeliveryToken,
  ProjectDeliverySchema,
  StatusSchema,
  subjectQuery,
  toDelivery,
  toProjectDelivery,
} from "./delivery.ts";

export const deliveryRoutes = (deps: InShards): Route[] => [
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
    success: { status: 200, description: "A page.", schema: pageSchema(ProjectDeliverySchema) },
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
      return onePage(query, {
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
      "Deliveries of all destinations that are `sending` or `waiting`, ordered by the time of the next attempt.",
    query: Type.Object({
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: "Maximum number. Default 50." }),
      ),
    }),
    success: { status: 200, description: "The deliveries.", schema: Type.Array(DeliverySchema) },
    async handle({ project, query }) {
      const { pageSize = 50 } = query;
      const rows = await askShards(deps.database, (data) => listRows(data, project.id, pageSize));
      return rows
        .flat()
        .toSorted((one, other) => one.dueTime.getTime() - other.dueTime.getTime())
        .slice(0, pageSize)
        .map(toDelivery);
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
      schema: pageSchema(DeliverySchema),
    },
    hasEntityTag: true,
    async handle({ project, params, query }) {
      const { control } = deps.database;
      const { id } = await getDestinationRow(control, project.id, params.destination);
      const { status: state, type } = query;
      const subject = await findSubject(control, project.id, query);
      return onePage(query, {
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

const listRowsInShards = (database: Pick<Database, "shards">, filter: DeliveryFilter) =>
  listInShards(database, (data) => listDeliveryRows(data, filter), {
    ...filter.range,
    getPosition: ({ eventId, destinationId }) => toDeliveryToken(eventId, destinationId),
  });

/** Returns a delivery and the shard that has it. Throws a 404 Problem. */
async function getDelivered(database: Database, { id, name }: DestinationRow, deliveryId: string) {
  const found = await findInShards(database, (data) => findDelivery(data, id, deliveryId));
  if (found) return found;
  throw new Problem("not-found", {
    detail: `\`${name}\` has no delivery \`${deliveryId}\`. Old deliveries are removed.`,
  });
}

const getDelivery = (deps: { database: Database }) =>
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
      const { database } = deps;
      const destination = await getDestinationRow(database.control, project.id, params.destination);
      const { row } = await getDelivered(database, destination, params.deliveryId);
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

const resendDelivery = (deps: InShards) =>
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
      const { database } = deps;
      const destination = await getDestinationRow(database.control, project.id, params.destination);
      requireEnabled(destination);
      const found = await getDelivered(database, destination, params.deliveryId);
      const { row } = found;
      const { data } = await findDecidingShard(deps, destination, found);
      if (!(await resend(data, destination.id, row.eventId))) {
        throw new Problem("conflict", {
          detail: "This delivery is being sent. Try again when the attempt has ended.",
          retryable: true,
        });
      }
      return toDelivery((await findDelivery(data, destination.id, row.eventId)) ?? row);
    },
  });

/**
 * Returns the shard that sends a delivery: two have what waits of a customer who moves. What has ended may still be where it was found.
 * Throws a 503 Problem while the customer moves.
 */
async function findDecidingShard(
  { database, shards }: InShards,
  { id, projectId }: DestinationRow,
  { row, shard }: Awaited<ReturnType<typeof getDelivered>>,
): Promise<Pick<Database, "data">> {
  if (database.shards.length === 1) return shard;
  const { groupRef } = readMembers(row.data);
  if (typeof groupRef !== "string") return shard;
  const { database: chosen } = await shards.chooseByGroup(projectId, groupRef);
  return (await findDelivery(chosen.data, id, row.eventId)) ? chosen : shard;
}

const BATCH = 1_000;

const BodySchema = Type.Object({
  since: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Start of the time range, inclusive. Required without `ids`.",
    }),
  ),
  until: Type.Optional(
    Type.String({ format: "date-time", description: "End of the time range, exclusive. Default: now." }),
  ),
  status: Type.Optional(
    Type.Enum(["failed", "undelivered", "delivered", "all"], {
      description:
        "Default `failed`. `undelivered`: failed ones, and those that wait for a retry, which are then attempted at once. " +
        "`all`: failed and delivered ones.",
    }),
  ),
  type: EventTypeFilter,
  ids: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1_000,
      description: "Only these deliveries, by id. Ids that do not exist are ignored.",
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: "If true, nothing is sent: `count` is what would be sent. Default false." }),
  ),
});

const resendDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "resendDeliveries",
    tag: "Deliveries",
    summary: "Resend deliveries of a time range",
    description:
      "Resends the deliveries of events from `since` to `until`, those in `ids`, or both conditions together: failed " +
      "ones by default, or others by `status`. Messages keep their ids.",
    params: Type.Object({ destination: DestinationIdOrName }),
    body: BodySchema,
    role: "support",
    success: {
      status: 200,
      description: "The number of deliveries to resend.",
      schema: Type.Object({
        count: Type.Integer({ description: "Number of deliveries to resend." }),
        dryRun: Type.Optional(Type.Boolean({ description: "True: nothing was sent." })),
      }),
    },
    refusals: { 409: "The destination is disabled." },
    async handle({ project, params, body }) {
      const { database } = deps;
      const destination = await getDestinationRow(database.control, project.id, params.destination);
      requireEnabled(destination);
      const choice = { destinationId: destination.id, ...chooseOption(body) };
      const counts = await askShards(database, (data) =>
        body.dryRun ? countResendable(data, choice) : resendAll(data, choice),
      );
      return { count: counts.reduce((sum, count) => sum + count, 0), ...(body.dryRun && { dryRun: true }) };
    },
  });

const STATES = {
  failed: ["failed"],
  undelivered: ["failed", "waiting"],
  delivered: ["delivered"],
  all: ["failed", "delivered"],
} satisfies Record<string, DeliveryState[]>;

/** Throws a 400 Problem for a range that is missing or has no end after its start. */
function chooseOption({
  since,
  until,
  status = "failed",
  type,
  ids,
}: Static<typeof BodySchema>): Omit<ResendChoice, "destinationId"> {
  if (since === undefined && ids === undefined)
    throw toMemberProblem("since", "is missing. Send it, or send `ids`.");
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  const untilMs = until === undefined ? nowMs() + 1 : Date.parse(until);
  if (untilMs <= sinceMs) {
    throw until === undefined
      ? toMemberProblem("since", "must lie in the past.")
      : toMemberProblem("until", "must be later than `since`.");
  }
  return {
    states: STATES[status],
    fromId: buildFirstId(sinceMs),
    untilId: buildFirstId(untilMs),
    ...(type !== undefined && { type }),
    ...(ids && { ids: ids.filter(isUuid) }),
  };
}

/** Works in batches, because a single long statement would block others. */
async function resendAll(queries: DataQueries, choice: ResendChoice): Promise<number> {
  let total = 0;
  let afterId: string | undefined;
  for (;;) {
    const { count, lastEventId } = await resendRange(queries, {
      ...choice,
      ...(afterId && { afterId }),
      limit: BATCH,
    });
    total += count;
    if (count < BATCH || lastEventId === undefined) return total;
    afterId = lastEventId;
  }
}

/** Throws a 409 Problem for a disabled destination. */
function requireEnabled({ name, disabledTime }: DestinationRow): void {
  if (!disabledTime) return;
  throw new Problem("conflict", {
    detail: `\`${name}\` is disabled. Enable it first: update its \`metadata.url\` or rotate its signing key.`,
  });
}
