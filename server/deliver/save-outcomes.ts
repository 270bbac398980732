/** Notes how attempts ended, many in one statement, and what that says of their destinations. */
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../ground/log.ts";
import type { Database, Queries } from "../store/database.ts";
import { failDisabled, finishDeliveries } from "../store/deliveries.ts";
import {
  disableDestination,
  disableFailing,
  markFailing,
  markWorking,
  type DestinationRow,
} from "../store/destinations.ts";
import type { DeliveryResult } from "./attempt-delivery.ts";
import { destinationWebhookDisabled } from "../events/destination-events.ts";
import { recordEvents } from "../events/record-event.ts";

export interface OutcomeWriterServices {
  database: Database;
  relaxed: Queries;
  log: Log;
  workerId: () => number;
  disableAfterSeconds: number;
  /** Told what has been noted. */
  onNoted: (ended: DeliveryResult[]) => void;
}

type Made = NonNullable<DeliveryResult["made"]>;

const MOST_AT_ONCE = 1_000;
/** So many are worth a statement at once; fewer wait for company. A crash meanwhile means that they are sent again. */
const ENOUGH = 250;
const GATHER_MS = 10;
const RETRY_MS = 250;
const SWEEP_BATCH = 1_000;

/** While one statement runs, the ends of the next gather. */
export class OutcomeWriter {
  readonly #deps: OutcomeWriterServices;
  readonly #failing = new Set<string>();
  /** Of each batch, how many deliveries nothing has been noted of. */
  readonly #open = new Map<string, number>();
  #ended: DeliveryResult[] = [];
  #writing: Promise<void> | undefined;
  #closing = false;

  constructor(deps: OutcomeWriterServices) {
    this.#deps = deps;
  }

  /** What was read of a destination: whether its last word was a failure. */
  saw(destinationId: string, failing: boolean): void {
    if (failing) this.#failing.add(destinationId);
    else this.#failing.delete(destinationId);
  }

  /** A batch of so many deliveries, all of which will be added; with the last one noted it is over. */
  open(batchId: string, size: number): void {
    this.#open.set(batchId, size);
  }

  /** The batches that are not over. */
  get batchIds(): string[] {
    return [...this.#open.keys()];
  }

  /** What is added and not noted yet. */
  get size(): number {
    return this.#ended.length;
  }

  add(ended: DeliveryResult): void {
    this.#ended.push(ended);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything added so far is noted; what the database does not take now will be sent again. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#ended.length > 0) {
      if (this.#ended.length < ENOUGH && !this.#closing) await wait(GATHER_MS);
      const batch = this.#ended.splice(0, distinctOf(this.#ended));
      await this.#insist(batch, () => this.#note(batch));
      await this.#insist(batch, () => this.#judge(batch));
      this.#deps.onNoted(batch);
    }
    this.#writing = undefined;
  }

  /** Until the database takes it, or this closes. */
  async #insist(batch: DeliveryResult[], write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (err) {
        this.#deps.log.warn({ err, deliveries: batch.length }, "deliveries cannot be noted yet");
        if (this.#closing) return;
        await wait(RETRY_MS);
      }
    }
  }

  async #note(batch: DeliveryResult[]): Promise<void> {
    const { relaxed, workerId } = this.#deps;
    const left = this.#leftAfter(batch);
    const over = [...left].filter(([, count]) => count === 0).map(([id]) => id);
    const ends = batch.map(({ finished }) => finished);
    await finishDeliveries(relaxed, workerId(), ends, over);
    left.forEach((count, id) => this.#open.set(id, count));
    over.forEach((id) => this.#open.delete(id));
  }

  /** Of the batches that these are of: how many deliveries nothing is noted of when these are. */
  #leftAfter(ended: DeliveryResult[]): Map<string, number> {
    const left = new Map<string, number>();
    for (const { batchId } of ended) {
      if (batchId !== undefined) left.set(batchId, (left.get(batchId) ?? this.#open.get(batchId) ?? 0) - 1);
    }
    return left;
  }

  /** One success ends a row of failures; a destination that has only failed for long, or is gone, is disabled. */
  async #judge(batch: DeliveryResult[]): Promise<void> {
    const made = batch.flatMap((ended) => ended.made ?? []);
    const idsOf = (attempts: Made[]) => [...new Set(attempts.map(({ destination }) => destination.row.id))];
    const succeeded = new Set(idsOf(made.filter(({ outcome }) => outcome.kind === "delivered")));
    const failed = made.filter(({ destination }) => !succeeded.has(destination.row.id));
    const recovered = [...succeeded].filter((id) => this.#failing.has(id));
    const fresh = idsOf(failed).filter((id) => !this.#failing.has(id));
    await markWorking(this.#deps.relaxed, recovered);
    await markFailing(this.#deps.relaxed, fresh);
    recovered.forEach((id) => this.#failing.delete(id));
    fresh.forEach((id) => this.#failing.add(id));
    await this.#disable(failed.filter(({ destination }) => destination.type.disables));
  }

  async #disable(failed: Made[]): Promise<void> {
    if (failed.length === 0) return;
    const { database, relaxed, disableAfterSeconds, log } = this.#deps;
    const gone = new Map(
      failed
        .filter(({ outcome }) => outcome.kind === "gone")
        .map(({ destination: { row } }) => [row.id, row.version]),
    );
    const ids = [...new Set(failed.map(({ destination }) => destination.row.id))];
    const disabled = await database.queries.transaction().execute(async (queries) => {
      const rows = await disableFailing(queries, ids, {
        afterSeconds: disableAfterSeconds,
        reason: "Every attempt has failed for too long.",
      });
      for (const [id, version] of gone) {
        const reason = "The receiver answered 410 Gone.";
        const row = await disableDestination(queries, { id, version, reason });
        if (row) rows.push(row);
      }
      await recordEvents(queries, rows.map(disabledEvent));
      return rows;
    });
    if (disabled.length === 0) return;
    log.warn({ destinations: disabled.map(({ id }) => id) }, "webhook destinations disabled");
    while ((await failDisabled(relaxed, SWEEP_BATCH)) === SWEEP_BATCH);
  }
}

/** How many from the first on are of different deliveries, up to what one statement takes: it can note each only once. */
function distinctOf(ended: DeliveryResult[]): number {
  const keys = new Set<string>();
  for (const { finished } of ended) {
    const key = finished.eventId + finished.destinationId;
    if (keys.has(key) || keys.size === MOST_AT_ONCE) break;
    keys.add(key);
  }
  return keys.size;
}

function disabledEvent({ id, projectId, name, metadata }: DestinationRow) {
  const { url = "" } = metadata as { url?: string };
  return destinationWebhookDisabled({ id, projectId, name, url });
}
