/** Passes a provider's answer to the caller: as it arrives, or held back until its meaning is known. */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { toTextPairs, toCaller, type AnswerHead } from "./pass-headers.ts";

/** Only errors are held back; longer answers pass unread. */
const MAX_HELD_BYTES = 64 * 1024;
/** Up to this size, copying a body behind its head is cheaper than a second write to the kernel. */
const ONE_WRITE_BYTES = 16 * 1024;

interface ResponseStart extends AnswerHead {
  reason: string;
}

export class ProviderResponseStream {
  /** Bytes of the body, passed or held. */
  bytes = 0;
  isHeld = false;
  /** Whether anything of it was sent to the caller. */
  begun = false;
  readonly #response: ServerResponse;
  readonly #controller: Dispatcher.DispatchController;
  readonly #start: ResponseStart;
  readonly #held: Buffer[] = [];
  #extra: string[] = [];
  #requestId: string | undefined;
  /** Length of the whole body, if the provider announced it. */
  #length: number | undefined;
  /** Whether anything was written to the socket. */
  #isFlowing = false;

  constructor(response: ServerResponse, controller: Dispatcher.DispatchController, start: ResponseStart) {
    this.#response = response;
    this.#controller = controller;
    this.#start = start;
  }

  get status(): number {
    return this.#start.status;
  }

  hold(): void {
    this.isHeld = true;
  }

  /** Buffers a piece of the answer. Returns false when the answer has become too long to buffer. */
  collect(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.bytes += chunk.length;
    return this.bytes <= MAX_HELD_BYTES;
  }

  /** Sets the request id that the answer lacks. */
  name(requestId: string): void {
    this.#requestId = requestId;
  }

  /** Adds headers of the proxy, name and value in turn. */
  add(lines: string[] | undefined): void {
    if (lines) this.#extra = lines;
  }

  /** Returns the answer in the form that connectors classify; the text is what has arrived so far. */
  forJudging(): ProviderResponse {
    const headers: Record<string, string> = {};
    for (const [name, value] of toTextPairs(this.#start.raw)) {
      const lower = name.toLowerCase();
      headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`;
    }
    return { status: this.#start.status, headers, text: Buffer.concat(this.#held).toString("utf8") };
  }

  /** Sends the head and the held part of the body. */
  begin(): void {
    const { status, reason } = this.#start;
    const { lines, length } = toCaller(this.#start);
    this.#length = length;
    if (this.#requestId !== undefined) lines.push("X-Request-Id", this.#requestId);
    if (this.#extra.length > 0) lines.push(...this.#extra);
    this.#response.writeHead(status, toReasonPhrase(reason), lines);
    this.begun = true;
    // Small bodies arrive with their head and share its write; a head without a body must not wait for one.
    if (pendingHeads.push(this) === 1) setImmediate(sendHeads);
    if (!this.isHeld) return;
    this.isHeld = false;
    for (const chunk of this.#held) this.#write(chunk);
  }

  sendHead(): void {
    const { writableEnded, destroyed } = this.#response;
    if (!this.#isFlowing && !writableEnded && !destroyed) this.#response.write("", "latin1");
  }

  write(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#write(chunk);
  }

  #write(chunk: Buffer): void {
    const isWhole = chunk.length === this.#length && chunk.length <= ONE_WRITE_BYTES && !this.#isFlowing;
    this.#isFlowing = true;
    // Text shares one write with the head; latin1 keeps every byte.
    if (isWhole) return void this.#response.end(chunk.toString("latin1"), "latin1");
    if (this.#response.write(chunk) || this.#controller.paused) return;
    this.#controller.pause();
    this.#response.once("drain", () => this.#controller.resume());
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** Ends an answer whose rest will never come, so that the caller notices that it is incomplete. */
  breakOff(): void {
    // An answer that is delimited by the end of the connection looks complete after an orderly close.
    const isCloseDelimited = this.#response.req.httpVersionMinor === 0 && this.#length === undefined;
    if (isCloseDelimited) this.#response.socket?.resetAndDestroy();
    else this.#response.destroy();
  }
}

/**
 * Returns the reason phrase with one character per byte, as Node writes it. Undici decodes it as UTF-8, which loses
 * other bytes; such a phrase is dropped, since it has no meaning for clients.
 */
function toReasonPhrase(reason: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(reason)) return reason;
  return reason.includes("\ufffd") ? "" : Buffer.from(reason, "utf8").toString("latin1");
}

/** Answers that began in this turn of the event loop; they share one `setImmediate`. */
let pendingHeads: ProviderResponseStream[] = [];

function sendHeads(): void {
  const answers = pendingHeads;
  pendingHeads = [];
  for (const answer of answers) answer.sendHead();
}
