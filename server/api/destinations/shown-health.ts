/** The health of a destination, as the API shows it. */
import { Type, type Static } from "typebox";
import type { Queries } from "../../store/database.ts";
import { deliveryFigures, MOST_COUNTED, type DeliveryFigures } from "../../store/delivery-figures.ts";
import type { DestinationRow } from "../../store/destinations.ts";

export const HealthSchema = Type.Object(
  {
    state: Type.Enum(["idle", "working", "failing", "disabled"], {
      description:
        "`idle`: nothing has been delivered. `failing`: no attempt has succeeded since `failingSince`.",
    }),
    failingSince: Type.Optional(
      Type.String({ format: "date-time", description: "Time of the first failure after the last success." }),
    ),
    waiting: Type.Integer({
      description: `Number of deliveries that are sent now or retried later, counted up to ${MOST_COUNTED}.`,
    }),
    failed: Type.Integer({
      description: `Number of deliveries that have failed for good and are still kept, counted up to ${MOST_COUNTED}.`,
    }),
    lastDeliveredTime: Type.Optional(
      Type.String({ format: "date-time", description: "Time of the last successful attempt." }),
    ),
  },
  { title: "DestinationHealth", description: "Whether messages arrive." },
);

type Health = Static<typeof HealthSchema>;

/** Adds the health to each of these destinations, which are shown by `show`. */
export async function withHealth<Shown extends { id: string }>(
  queries: Queries,
  rows: DestinationRow[],
  show: (row: DestinationRow) => Shown,
): Promise<(Shown & { health: Health })[]> {
  const figures = await deliveryFigures(queries, rows);
  return rows.map((row) => ({ ...show(row), health: toHealth(row, figures.get(row.id)) }));
}

function toHealth(
  { disabledTime, failingSince }: DestinationRow,
  figures: DeliveryFigures | undefined,
): Health {
  const { waiting = 0, failed = 0, lastDeliveredTime } = figures ?? {};
  const works = lastDeliveredTime ? "working" : "idle";
  return {
    state: disabledTime ? "disabled" : failingSince ? "failing" : works,
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    waiting,
    failed,
    ...(lastDeliveredTime && { lastDeliveredTime: lastDeliveredTime.toISOString() }),
  };
}
