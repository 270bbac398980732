/** Sends one request and reads the whole answer, within limits of time and size. */
import type { Dispatcher } from "undici";
import { decodeContent, UNDERSTOOD } from "./decode-content.ts";
import { decodeText } from "./decode-text.ts";
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
