/** The endpoints that send deliveries again: one, or those of a time range. */
import { type Static, Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { buildFirstId, isUuid } from "../../../ground/ids.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import type { DeliveryState } from "../../store/deliveries/deliveries.ts";
import {
  countResendable,
  findDelivery,
  type ResendChoice,
  resendDeliveries as resendRange,
  resendDelivery as resend,
} from "../../store/deliveries/delivery-lists.ts";
import type { DestinationRow } from "../../store/deliveries/destinations.ts";
import { readMembers } from "../../store/deliveries/delivery-subjects.ts";
import { askShards } from "../../store/shards/ask-shards.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import type { InShards } from "../run-in-shard.ts";
import { DestinationIdOrName } from "../members.ts";
import { DeliverySchema, EventTypeFilter, getDelivered, toDelivery } from "./delivery.ts";
import { describeTime } from "../../../ground/described.ts";

const BATCH = 1_000;

const BodySchema = Type.Object({
  since: Type.Optional(describeTime("Start of the time range, inclusive. Required without `ids`.")),
  until: Type.Optional(describeTime("End of the time range, exclusive. Default: now.")),
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

export const resendDeliveries = (deps: { database: Database }) =>
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

export const resendDelivery = (deps: InShards) =>
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
      const found = await getDelivered(deps, destination, params.deliveryId);
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

/** Throws a 409 Problem for a disabled destination. */
function requireEnabled({ name, disabledTime }: DestinationRow): void {
  if (!disabledTime) return;
  throw new Problem("conflict", {
    detail: `\`${name}\` is disabled. Enable it first: update its \`metadata.url\` or rotate its signing key.`,
  });
}
