/** Sums up the figures of destinations over all shards. */
import type { Database } from "../database/database.ts";
import { MAX_COUNTED, readDeliveryFigures, type DeliveryFigures } from "../deliveries/delivery-figures.ts";
import type { DestinationRow } from "../deliveries/destinations.ts";
import { readLastFailures, type LastFailure } from "../deliveries/last-failures.ts";
import { askPresent } from "./ask-shards.ts";

interface DestinationFigures {
  figures: Map<string, DeliveryFigures>;
  /** Failures of those that fail or are disabled. */
  failures: Map<string, LastFailure>;
  /** Names of the shards that are away, whose deliveries are not counted. */
  unavailable: string[];
}

export async function sumFigures(
  database: Pick<Database, "shards">,
  rows: DestinationRow[],
): Promise<DestinationFigures> {
  const troubled = rows.filter(({ disabledTime, failingSince }) => disabledTime ?? failingSince);
  const { answers, unavailable } = await askPresent(database, async (data) => {
    const [figures, failures] = await Promise.all([
      readDeliveryFigures(data, rows),
      readLastFailures(
        data,
        troubled.map(({ id }) => id),
      ),
    ]);
    return { figures, failures };
  });
  return {
    figures: merge(
      answers.map(({ figures }) => figures),
      addFigures,
    ),
    failures: merge(
      answers.map(({ failures }) => failures),
      chooseFailure,
    ),
    unavailable,
  };
}

function merge<One>(maps: Map<string, One>[], join: (one: One, other: One) => One): Map<string, One> {
  const merged = new Map<string, One>();
  for (const [id, one] of maps.flatMap((map) => [...map])) {
    const before = merged.get(id);
    merged.set(id, before === undefined ? one : join(before, one));
  }
  return merged;
}

const addFigures = (one: DeliveryFigures, other: DeliveryFigures): DeliveryFigures => ({
  waiting: Math.min(MAX_COUNTED, one.waiting + other.waiting),
  failed: Math.min(MAX_COUNTED, one.failed + other.failed),
  lastDeliveredTime: chooseTime(one.lastDeliveredTime, other.lastDeliveredTime, "latest"),
});

const chooseFailure = (one: LastFailure, other: LastFailure): LastFailure => ({
  attempt:
    !one.attempt || (other.attempt && other.attempt.time > one.attempt.time) ? other.attempt : one.attempt,
  nextAttemptTime: chooseTime(one.nextAttemptTime, other.nextAttemptTime, "earliest"),
});

function chooseTime(
  one: Date | undefined,
  other: Date | undefined,
  which: "latest" | "earliest",
): Date | undefined {
  if (!one || !other) return one ?? other;
  return one > other === (which === "latest") ? one : other;
}
