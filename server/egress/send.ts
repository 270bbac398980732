/** Sends one request and reads the whole answer, within limits of time and size. */
import type { Dispatcher } from "undici";
import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { decodeContent, UNDERSTOOD } from "./decode-content.ts";
import type { EgressRequest, EgressResponse } from "./egress.ts";
import { EgressError, toEgressError } from "./egress-error.ts";

export const DEFAULT_TIMEOUT_MS = 60_000;
/** Ends answers that arrive a byte now and then; the largest answer takes a slow line half as long. */
const DEFAULT_TOTAL_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Sends a request through `dispatcher`. Redirects are not followed. Asks for compression, and decompresses also what comes compressed
 * unasked. Throws `EgressError`.
 */
export function send(dispatcher: Dispatcher, request: EgressRequest): Promise<EgressResponse> {
  const { url, method, body } = request;
  const headers = { "accept-encoding": UNDERSTOOD, ...request.headers };
  const { timeoutMs = DEFAULT_TIMEOUT_MS, totalTimeoutMs = DEFAULT_TOTAL_TIMEOUT_MS } = request;
  const reader = new AnswerReader(url.host, request.maxBytes ?? DEFAULT_MAX_BYTES);
  const timer = setTimeout(() => reader.timeOut(), totalTimeoutMs);
  const path = `${url.pathname}${url.search}`;
  dispatcher.dispatch(
    { origin: url.origin, path, method, headers, body, headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
    reader,
  );
  return reader.answer.finally(() => clearTimeout(timer));
}

/** Collects one answer. */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly answer: Promise<EgressResponse>;
  readonly #resolve: (answer: EgressResponse) => void;
  readonly #reject: (error: EgressError) => void;
  readonly #host: string;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head: Pick<EgressResponse, "status" | "headers"> | undefined;
  /** Undefined until the request begins to be sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #timedOut = false;

  constructor(host: string, maxBytes: number) {
    const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#host = host;
    this.#maxBytes = maxBytes;
  }

  /** Ends the exchange. A request that still waits for its connection will not be sent. */
  timeOut(): void {
    this.#timedOut = true;
    this.#controller?.abort(this.#tooLate(true));
    this.#reject(this.#tooLate(this.#controller !== undefined));
  }

  #tooLate(sent: boolean): EgressError {
    return new EgressError("timeout", sent, `${this.#host} did not answer in time`);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#timedOut) controller.abort(this.#tooLate(false));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 200) this.#head = { status, headers: joinValues(headers) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= this.#maxBytes) return void this.#chunks.push(chunk);
    controller.abort(
      new EgressError("too-large", true, `${this.#host} answered more than ${this.#maxBytes} bytes`),
    );
  }

  onResponseEnd(): void {
    const head = this.#head;
    if (!head) return;
    if (head.headers["content-encoding"] === undefined) return this.#resolve(buildAnswer(head, this.#chunks));
    decodeContent(head.headers, this.#chunks, { maxBytes: this.#maxBytes, host: this.#host }).then(
      (decoded) =>
        this.#resolve(buildAnswer({ status: head.status, headers: decoded.headers }, decoded.chunks)),
      (error: EgressError) => this.#reject(error),
    );
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(toEgressError(error, this.#controller !== undefined, this.#host));
  }
}

function buildAnswer(
  { status, headers }: Pick<EgressResponse, "status" | "headers">,
  chunks: Buffer[],
): EgressResponse {
  let body: Buffer | undefined;
  return {
    status,
    headers,
    get body() {
      return (body ??= Buffer.concat(chunks));
    },
    text: () => decodeText(chunks, headers["content-type"]),
  };
}

const joinValues = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

/** Returns the text without a byte order mark; for a large one this takes less memory than to decode it whole. */
function decodeText(chunks: Buffer[], contentType = ""): string {
  const label = findSet(contentType, chunks[0]);
  const other = label === undefined ? undefined : decodeAs(label, Buffer.concat(chunks));
  if (other !== undefined) return other;
  const decoder = new StringDecoder("utf8");
  const text = chunks.map((chunk) => decoder.write(chunk)).join("") + decoder.end();
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Returns the name of another set than UTF-8; undefined for UTF-8. */
function findSet(contentType: string, [first, second]: Buffer = Buffer.alloc(0)): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
  return label === "utf-8" || label === "utf8" ? undefined : label;
}

/**
 * Returns undefined for a set that is not known, and for UTF-8 under another name: JSON is UTF-8 (RFC 8259, 8.1), and servers name another set by
 * an old default. Text of other sets that is more than ASCII is hardly ever UTF-8 by chance, but for some characters; that of UTF-16 is.
 */
function decodeAs(label: string, bytes: Buffer): string | undefined {
  if (!label.startsWith("utf-16") && (isUtf8(bytes) || isMostlyUtf8(bytes))) return undefined;
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns whether more characters beyond ASCII are UTF-8 than are not: a value that was cut, or broken when it was stored, makes no other set. */
function isMostlyUtf8(bytes: Buffer): boolean {
  let [right, wrong] = [0, 0];
  for (const [character] of bytes.toString().matchAll(/[\u0080-\uffff]/gu))
    if (character === "\ufffd") wrong += 1;
    else right += 1;
  return right > wrong;
}
