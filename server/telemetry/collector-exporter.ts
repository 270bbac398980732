/** Sends batches by an exporter of OpenTelemetry's SDK, and logs when that fails and when it works again. */
import { ExportResultCode, type ExportResult } from "@opentelemetry/core";
import { nowMs } from "../../ground/clock.ts";
import { runOutsideWork } from "../../ground/current-work.ts";
import type { Log } from "../../ground/log.ts";

interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** A fault that lasts is logged again after this time. */
export const LOG_EVERY_MS = 600_000;

interface ExporterOptions {
  /** For the log: "traces". */
  what: string;
  collector: string;
  log: Log;
  /** A batch that cannot be sent is sent again after this time, until the collector has it; undefined: it is dropped. */
  retryMs?: number;
}

export class CollectorExporter<Batch> implements Exporter<Batch> {
  readonly #exporter: Exporter<Batch>;
  readonly #options: ExporterOptions;
  #fault: { sinceMs: number; loggedMs: number } | undefined;
  #stopping = false;
  #retryNow = () => {};

  constructor(exporter: Exporter<Batch>, options: ExporterOptions) {
    this.#exporter = exporter;
    this.#options = options;
  }

  /** The SDK need not hear of failures, which it would log each time. */
  export(batch: Batch, done: (result: ExportResult) => void): void {
    const { retryMs } = this.#options;
    // The connection serves later batches, too.
    runOutsideWork(() =>
      this.#exporter.export(batch, ({ error }) => {
        if (error) this.#onFailure(error);
        else this.#onSuccess();
        // A collector that has refused a batch would refuse it again.
        const isOver = !error || readStatus(error) !== undefined;
        if (isOver || retryMs === undefined || this.#stopping)
          return done({ code: ExportResultCode.SUCCESS });
        const retry = () => {
          clearTimeout(timer);
          this.#retryNow = () => {};
          this.export(batch, done);
        };
        const timer = setTimeout(retry, retryMs).unref();
        this.#retryNow = retry;
      }),
    );
  }

  /** Makes every further try the last one. */
  stopRetrying(): void {
    this.#stopping = true;
    this.#retryNow();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #onFailure(error: Error): void {
    const { what, collector, log } = this.#options;
    const atMs = nowMs();
    if (this.#fault && atMs - this.#fault.loggedMs < LOG_EVERY_MS) return;
    this.#fault = { sinceMs: this.#fault?.sinceMs ?? atMs, loggedMs: atMs };
    // Where several addresses were tried, the error has no message.
    const reason = error.message || ("code" in error ? String(error.code) : error.name);
    log.warn({ collector, status: readStatus(error), reason }, `${what} cannot be sent to the collector`);
  }

  #onSuccess(): void {
    const { what, collector, log } = this.#options;
    if (this.#fault) log.info({ collector, downMs: nowMs() - this.#fault.sinceMs }, `${what} are sent again`);
    this.#fault = undefined;
  }
}

/** Returns the status by which a collector refuses a batch for good; the codes of connections are words. */
const readStatus = (error: Error): number | undefined =>
  "code" in error && typeof error.code === "number" ? error.code : undefined;
