/** Saves the results of deliveries, many in one statement. */
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../../ground/log.ts";
import { retryWhileDatabaseIsDown } from "../store/database/database-outage.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { insertDeliveries, updateDeliveries } from "../store/deliveries/deliveries.ts";
import type { AttemptResult, DeliveryResult } from "./delivery-result.ts";

interface OutcomeWriterServices {
  data: DataQueries;
  log: Log;
  workerId: () => number;
  /** Called with the attempts of a saved batch; repeated until it succeeds, without saving the batch again. */
  judge: (attempts: AttemptResult[]) => Promise<void>;
  /** Called with the results that have been saved and judged. */
  onSaved: (results: DeliveryResult[]) => void;
}

const MAX_CONCURRENT = 1_000;
/** This many results are saved at once; fewer wait for more. After a crash meanwhile, their deliveries are sent again. */
const ENOUGH = 250;
const GATHER_MS = 10;

/** While one statement runs, the results for the next one gather. */
export class OutcomeWriter {
  readonly #deps: OutcomeWriterServices;
  /** Number of unsaved deliveries of each unfinished batch. */
  readonly #batches = new Map<string, number>();
  readonly #closing = new AbortController();
  #results: DeliveryResult[] = [];
  #writing: Promise<void> | undefined;

  constructor(deps: OutcomeWriterServices) {
    this.#deps = deps;
  }

  /** Announces a batch; it is over when `size` results of it are saved. */
  openBatch(batchId: string, size: number): void {
    this.#batches.set(batchId, size);
  }

  /** The batches that are not over. */
  get batchIds(): string[] {
    return [...this.#batches.keys()];
  }

  /** Results that wait to be saved. */
  get size(): number {
    return this.#results.length;
  }

  add(result: DeliveryResult): void {
    this.#results.push(result);
    this.#writing ??= this.#write();
  }

  /** Resolves when all results are saved, or a second attempt has failed: those messages are sent again. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    const { data, workerId } = this.#deps;
    while (this.#results.length > 0) {
      if (this.#results.length < ENOUGH && !this.#closing.signal.aborted) await wait(GATHER_MS);
      const results = this.#results.splice(0, countDistinct(this.#results));
      const attempts = results.filter((result) => result.kind === "attempted");
      const first = results.filter(({ batchId }) => batchId !== undefined);
      const again = results.filter(({ batchId }) => batchId === undefined);
      // One after the other, so that an error of one does not repeat the other.
      if (first.length > 0) await this.#retry(first, () => this.#saveFirst(first));
      if (again.length > 0) await this.#retry(again, () => updateDeliveries(data, workerId(), again));
      await this.#retry(results, () => this.#deps.judge(attempts));
      this.#deps.onSaved(results);
    }
    this.#writing = undefined;
  }

  /** Repeats `write` after any error until this closes: results that are not saved would be sent again. */
  async #retry(results: DeliveryResult[], write: () => Promise<void>): Promise<void> {
    const onError = (err: unknown): void =>
      this.#deps.log.warn({ err, deliveries: results.length }, "cannot save the results of deliveries yet");
    const { signal } = this.#closing;
    await retryWhileDatabaseIsDown(write, { onError, isTemporary: () => true, signal }).catch(onError);
  }

  async #saveFirst(results: DeliveryResult[]): Promise<void> {
    const left = this.#unsavedAfter(results);
    const over = [...left].filter(([, count]) => count === 0).map(([id]) => id);
    await insertDeliveries(this.#deps.data, this.#deps.workerId(), results, over);
    left.forEach((count, id) => this.#batches.set(id, count));
    over.forEach((id) => this.#batches.delete(id));
  }

  /** Counts, for each batch of these results, the deliveries that are not saved when these are. */
  #unsavedAfter(results: DeliveryResult[]): Map<string, number> {
    const left = new Map<string, number>();
    for (const { batchId } of results) {
      if (batchId !== undefined)
        left.set(batchId, (left.get(batchId) ?? this.#batches.get(batchId) ?? 0) - 1);
    }
    return left;
  }
}

/** Counts the results up to the first repeated delivery: one statement can update a row only once. */
function countDistinct(results: DeliveryResult[]): number {
  const keys = new Set<string>();
  for (const { eventId, destinationId } of results) {
    const key = eventId + destinationId;
    if (keys.has(key) || keys.size === MAX_CONCURRENT) break;
    keys.add(key);
  }
  return keys.size;
}
