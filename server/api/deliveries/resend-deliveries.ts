/** POST …/destinations/{destination}/deliveries:resend */
import { Type, type Static } from "typebox";
import { buildFirstId, isUuid } from "../../../ground/ids.ts";
import { nowMs } from "../../../ground/clock.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database, Queries } from "../../store/database.ts";
import {
  countResendable,
  resendDeliveries as resend,
  type ResendChoice,
} from "../../store/delivery-lists.ts";
import type { DeliveryState } from "../../store/deliveries.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { EventTypeFilter } from "./delivery.ts";
import { requireEnabled } from "./require-enabled.ts";

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
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      requireEnabled(destination);
      const choice = { destinationId: destination.id, ...parseChoice(body) };
      return body.dryRun
        ? { count: await countResendable(queries, choice), dryRun: true }
        : { count: await resendAll(queries, choice) };
    },
  });

const STATES = {
  failed: ["failed"],
  undelivered: ["failed", "waiting"],
  delivered: ["delivered"],
  all: ["failed", "delivered"],
} satisfies Record<string, DeliveryState[]>;

/** Throws a 400 Problem for a range that is missing or has no end after its start. */
function parseChoice({
  since,
  until,
  status = "failed",
  type,
  ids,
}: Static<typeof BodySchema>): Omit<ResendChoice, "destinationId"> {
  if (since === undefined && ids === undefined)
    throw memberProblem("since", "is missing. Send it, or send `ids`.");
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  const untilMs = until === undefined ? nowMs() + 1 : Date.parse(until);
  if (untilMs <= sinceMs) {
    throw until === undefined
      ? memberProblem("since", "must lie in the past.")
      : memberProblem("until", "must be later than `since`.");
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
async function resendAll(queries: Queries, choice: ResendChoice): Promise<number> {
  let total = 0;
  let afterId: string | undefined;
  for (;;) {
    const { count, lastEventId } = await resend(queries, {
      ...choice,
      ...(afterId && { afterId }),
      limit: BATCH,
    });
    total += count;
    if (count < BATCH || lastEventId === undefined) return total;
    afterId = lastEventId;
  }
}
