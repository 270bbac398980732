/** The caller's body on its way to the provider: whole when it is small, otherwise as a stream that can be stopped. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Problem } from "../ground/errors.ts";

/** Bodies up to this size are kept, so that the request can be sent again with another token. */
export const KEPT_BYTES = 64 * 1024;

/** The caller went away before its request was complete. */
export class CallerGone extends Error {
  override name = "CallerGone";
  constructor() {
    super("the caller closed the connection");
  }
}

const callerSilent = (idleMs: number): Problem =>
  new Problem("request-timeout", {
    detail: `Nothing more of the request's body arrived for ${idleMs / 1_000} s. Send it again, whole.`,
  });

/**
 * The whole body, for a request that announces at most `KEPT_BYTES`; undefined when it is empty. Rejects with
 * `CallerGone` or, after a silence of `idleMs`, a `Problem` when it never comes.
 */
export function collect(request: IncomingMessage, idleMs: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  const silence = setTimeout(() => reject(callerSilent(idleMs)), idleMs);
  request.on("data", (chunk: Buffer) => {
    silence.refresh();
    chunks.push(chunk);
  });
  request.on("end", () => {
    clearTimeout(silence);
    resolve(chunks.length <= 1 ? chunks[0] : Buffer.concat(chunks));
  });
  request.on("close", () => {
    clearTimeout(silence);
    if (!request.readableEnded) reject(new CallerGone());
  });
  return promise;
}

/**
 * The body as it arrives. Not the request itself: when the provider stops reading, this stream is destroyed, and what
 * the caller still sends is read and thrown away, so that it gets to see the provider's answer.
 */
export class Upload extends Readable {
  /** How much of it has arrived. */
  bytes = 0;
  readonly #request: IncomingMessage;
  readonly #silence: NodeJS.Timeout;
  #kept: Buffer[] | undefined = [];

  /** Destroys itself with a `Problem` when the caller is silent for `idleMs` although more is wanted. */
  constructor(request: IncomingMessage, idleMs: number) {
    super({ highWaterMark: KEPT_BYTES });
    this.#request = request;
    this.#silence = setTimeout(() => {
      if (request.isPaused()) this.#silence.refresh();
      else this.destroy(callerSilent(idleMs));
    }, idleMs);
    request.on("data", this.#onData);
    request.on("end", this.#onEnd);
    request.on("close", this.#onClose);
    request.pause();
  }

  /** Everything that was sent, once it is complete and if it was small enough to keep. */
  get whole(): Buffer | undefined {
    return this.readableEnded && this.#kept ? Buffer.concat(this.#kept) : undefined;
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const request = this.#request;
    clearTimeout(this.#silence);
    request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    request.resume();
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#silence.refresh();
    this.bytes += chunk.length;
    this.#keep(chunk);
    if (!this.push(chunk)) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    clearTimeout(this.#silence);
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.destroy(new CallerGone());
  };

  #keep(chunk: Buffer): void {
    if (!this.#kept) return;
    if (this.bytes > KEPT_BYTES) this.#kept = undefined;
    else this.#kept.push(chunk);
  }
}
