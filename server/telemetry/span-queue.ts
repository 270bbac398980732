/** Buffers ended spans until the collector has them, up to a limit. */
import { outsideWork } from "../../ground/current-work.ts";
import type { Log } from "../../ground/log.ts";
import type { EndedSpan } from "../../ground/tracer.ts";
import type { OtlpSender } from "./otlp-sender.ts";
import { tracesMessage } from "./otlp-messages.ts";

/** A batch is about 400 KB. */
const BATCH_SPANS = 1_000;
/** Further spans are dropped: a collector that is down must cost neither memory nor time. */
const MAX_SPANS = 20_000;

export interface SpanQueueServices {
  sender: OtlpSender;
  resource: Record<string, string>;
  log: Log;
  /** A batch that is full is sent at once. */
  everyMs: number;
}

export class SpanQueue {
  readonly #deps: SpanQueueServices;
  readonly #timer: NodeJS.Timeout;
  #spans: EndedSpan[] = [];
  #dropped = 0;
  #sending: Promise<void> | undefined;

  constructor(deps: SpanQueueServices) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#flush(), deps.everyMs).unref();
  }

  add(span: EndedSpan): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.#dropped += 1;
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length % BATCH_SPANS === 0) outsideWork(() => void this.#flush());
  }

  /** Sends what is left; what cannot be sent now is lost. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    // A send in progress may already have taken its last batch.
    await this.#sending;
    await this.#flush();
  }

  /** Sends all spans in batches, until one of them cannot be sent now. One call sends at a time. */
  #flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    const { sender, resource, log } = this.#deps;
    while (this.#spans.length > 0) {
      const batch = this.#spans.slice(0, BATCH_SPANS);
      if ((await sender.send(tracesMessage(resource, batch))) === "later") return;
      this.#spans = this.#spans.slice(batch.length);
    }
    if (this.#dropped > 0) log.warn({ dropped: this.#dropped }, "spans were dropped: too many waited");
    this.#dropped = 0;
  }
}
