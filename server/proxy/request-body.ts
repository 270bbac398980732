/** Reads the caller's body for the provider: small ones completely, others as a stream that can be stopped. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Problem } from "../../ground/errors.ts";

/** Bodies up to this size are kept in memory, so that the request can be repeated with another token. */
export const KEPT_BYTES = 64 * 1024;

/** A signature needs the whole body before the first byte is sent. */
export const MAX_SIGNED_BYTES = 1024 * 1024;

/** The caller closed the connection before its request was complete. */
export class CallerGone extends Error {
  override name = "CallerGone";
  constructor() {
    super("the caller closed the connection");
  }
}

const buildCallerSilent = (idleMs: number): Problem =>
  new Problem("request-timeout", {
    detail: `No more of the request's body arrived for ${idleMs / 1_000} s. Send the complete request again.`,
  });

/** Returns the refusal of a body that is too large to be signed. */
export const refuseToSign = (): Problem =>
  new Problem("body-too-large", {
    detail: `The requests to this provider are signed, which takes the whole body at once: at most ${MAX_SIGNED_BYTES} bytes (1 MiB).`,
    remedy: "Send less in one request.",
  });

/**
 * Reads the whole body of a request that announces at most `KEPT_BYTES`, or that is signed; undefined when the body is
 * empty. Rejects with `CallerGone`, or with a `Problem` after `idleMs` without data, or for more than `MAX_SIGNED_BYTES`.
 */
export function collect(request: IncomingMessage, idleMs: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const silence = setTimeout(() => reject(buildCallerSilent(idleMs)), idleMs);
  const onData = (chunk: Buffer): void => {
    silence.refresh();
    bytes += chunk.length;
    if (bytes <= MAX_SIGNED_BYTES) return void chunks.push(chunk);
    clearTimeout(silence);
    // Whoever refuses the request reads and discards the rest.
    request.off("data", onData);
    reject(refuseToSign());
  };
  request.on("data", onData);
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
 * Streams the body as it arrives. Not the request itself: when the provider stops reading, this stream is destroyed, and
 * the rest of the body is read and discarded, so that the caller can read the provider's answer.
 */
export class Upload extends Readable {
  /** Bytes that have arrived. */
  bytes = 0;
  readonly #request: IncomingMessage;
  readonly #silence: NodeJS.Timeout;
  #kept: Buffer[] | undefined = [];

  /** Destroys itself with a `Problem` when it waits for the caller for more than `idleMs`. */
  constructor(request: IncomingMessage, idleMs: number) {
    super({ highWaterMark: KEPT_BYTES });
    this.#request = request;
    this.#silence = setTimeout(() => {
      if (request.isPaused()) this.#silence.refresh();
      else this.destroy(buildCallerSilent(idleMs));
    }, idleMs);
    request.on("data", this.#onData);
    request.on("end", this.#onEnd);
    request.on("close", this.#onClose);
    request.pause();
  }

  /** The complete body, once it has arrived and if it was small enough to keep. */
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
