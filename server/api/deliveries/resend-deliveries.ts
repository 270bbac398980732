/** POST …/destinations/{destination}/deliveries:resend */
import { Type } from "typebox";
import { firstIdOf } from "../../ground/ids.ts";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database, Queries } from "../../store/database.ts";
import type { DeliveryState } from "../../store/deliveries.ts";
import { resendDeliveries as resend } from "../../store/delivery-lists.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationIdOrName } from "../members.ts";
import { requireEnabled } from "./require-enabled.ts";

const BATCH = 1_000;

export const resendDeliveries = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "resendDeliveries",
    tag: "Deliveries",
    summary: "Resend deliveries of a time range",
    description:
      "Resends the deliveries of events from `since` to `until`: failed ones by default, or others by " +
      "`status`. Messages keep their ids.",
    params: Type.Object({ destination: DestinationIdOrName }),
    body: Type.Object({
      since: Type.String({ format: "date-time", description: "Start of the time range, inclusive." }),
      until: Type.Optional(
        Type.String({ format: "date-time", description: "End of the time range, exclusive. Default: now." }),
      ),
      status: Type.Optional(Type.Enum(["failed", "delivered", "all"], { description: "Default `failed`." })),
    }),
    role: "support",
    success: {
      status: 200,
      description: "The number of deliveries to resend.",
      schema: Type.Object({ count: Type.Integer({ description: "Number of deliveries to resend." }) }),
    },
    refusals: { 409: "The destination is disabled." },
    async handle({ project, params, body }) {
      const { queries } = deps.database;
      const destination = await getDestinationRow(queries, project.id, params.destination);
      requireEnabled(destination);
      const { status = "failed" } = body;
      const states: DeliveryState[] = status === "all" ? ["failed", "delivered"] : [status];
      const sinceMs = Date.parse(body.since);
      const untilMs = body.until === undefined ? nowMs() + 1 : Date.parse(body.until);
      if (untilMs <= sinceMs) {
        const [name, detail] =
          body.until === undefined
            ? ["since", "must lie in the past."]
            : ["until", "must be later than `since`."];
        throw new Problem("invalid-request", {
          detail: `${name}: ${detail}`,
          issues: [{ in: "body", name, detail }],
        });
      }
      return { count: await resendAll(queries, destination.id, states, sinceMs, untilMs) };
    },
  });

/** Works in batches, because a single long statement would block others. */
async function resendAll(
  queries: Queries,
  destinationId: string,
  states: DeliveryState[],
  sinceMs: number,
  untilMs: number,
): Promise<number> {
  let total = 0;
  let afterId: string | undefined;
  for (;;) {
    const { count, lastEventId } = await resend(queries, {
      destinationId,
      states,
      fromId: firstIdOf(sinceMs),
      afterId,
      untilId: firstIdOf(untilMs),
      limit: BATCH,
    });
    total += count;
    if (count < BATCH || lastEventId === undefined) return total;
    afterId = lastEventId;
  }
}
