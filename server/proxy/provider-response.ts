/** A provider's answer on its way to the caller: as it comes, or held back until it is known what it means. */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { ProviderResponse } from "../../connector-kit/provider-fetch.ts";
import { textPairs, toCaller, type AnswerHead } from "./pass-headers.ts";

/** Answers that are held back are errors; longer ones are passed on unread. */
const HELD_BYTES = 64 * 1024;
/** Up to here, copying a body behind its head is cheaper than handing the kernel two pieces. */
const ONE_WRITE_BYTES = 16 * 1024;

interface Start extends AnswerHead {
  reason: string;
}

export class ProviderAnswerStream {
  /** Bytes of the body, passed on or held. */
  bytes = 0;
  isHeld = false;
  /** Whether the caller has been sent anything of it. */
  begun = false;
  readonly #response: ServerResponse;
  readonly #controller: Dispatcher.DispatchController;
  readonly #start: Start;
  readonly #held: Buffer[] = [];
  #extra: string[] = [];
  /** Of the whole body, where the provider told it. */
  #length: number | undefined;
  /** Whether anything has been handed to the socket. */
  #isFlowing = false;

  constructor(response: ServerResponse, controller: Dispatcher.DispatchController, start: Start) {
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

  /** Keeps a piece of a held answer. False when it has become too long to hold. */
  collect(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.bytes += chunk.length;
    return this.bytes <= HELD_BYTES;
  }

  /** Header lines of ours, name and value in turn. */
  add(lines: string[] | undefined): void {
    if (lines) this.#extra = lines;
  }

  /** As connectors read answers; the text is what is known of it so far. */
  forJudging(): ProviderResponse {
    const headers: Record<string, string> = {};
    for (const [name, value] of textPairs(this.#start.raw)) {
      const lower = name.toLowerCase();
      headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`;
    }
    return { status: this.#start.status, headers, text: Buffer.concat(this.#held).toString("utf8") };
  }

  /** Sends the head, and what was held. */
  begin(): void {
    const { status, reason } = this.#start;
    const { lines, length } = toCaller(this.#start);
    this.#length = length;
    if (this.#extra.length > 0) lines.push(...this.#extra);
    this.#response.writeHead(status, speakable(reason), lines);
    this.begun = true;
    // Small bodies arrive together with their head; a head that comes alone must not wait for them.
    if (lonely.push(this) === 1) setImmediate(sendHeads);
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
    // As text it goes out in one write with the head; latin1 keeps every byte.
    if (isWhole) return void this.#response.end(chunk.toString("latin1"), "latin1");
    if (this.#response.write(chunk) || this.#controller.paused) return;
    this.#controller.pause();
    this.#response.once("drain", () => this.#controller.resume());
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** The rest will never come. The caller must see that the answer is incomplete. */
  breakOff(): void {
    // An answer that ends with the connection looks complete when the connection is closed in order.
    const isCloseDelimited = this.#response.req.httpVersionMinor === 0 && this.#length === undefined;
    if (isCloseDelimited) this.#response.socket?.resetAndDestroy();
    else this.#response.destroy();
  }
}

/**
 * The reason phrase with its bytes as characters. Undici reads it as UTF-8, so other bytes are lost; the phrase means
 * nothing, and an empty one is honest.
 */
function speakable(reason: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(reason)) return reason;
  return reason.includes("\ufffd") ? "" : Buffer.from(reason, "utf8").toString("latin1");
}

/** Answers that began in this turn of the event loop; one timer for all of them. */
let lonely: ProviderAnswerStream[] = [];

function sendHeads(): void {
  const answers = lonely;
  lonely = [];
  for (const answer of answers) answer.sendHead();
}
