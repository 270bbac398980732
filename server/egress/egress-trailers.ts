/** The way out for a request with trailers, which undici cannot send: node:http, told like a dispatch of undici's. */
import { request as begin, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { errors, type buildConnector, type Dispatcher } from "undici";

export interface RequestWithTrailers {
  origin: string;
  path: string;
  method: string;
  /** Name and value in turn. */
  headers: string[];
  body: Readable;
  /** Name and value in turn; asked when the body has ended. */
  trailers(): string[];
  /** Until the answer begins, counted from the last piece of the body that was taken. */
  headersTimeout: number;
  /** Between two pieces of the answer. */
  bodyTimeout: number;
}

/** Sends it on a connection of its own, which ends with the answer: such requests are too rare to pool for. */
export function dispatchWithTrailers(
  connect: buildConnector.connector,
  request: RequestWithTrailers,
  handler: Dispatcher.DispatchHandler,
  maxHeaderSize: number,
): void {
  const { protocol, host, hostname, port } = new URL(request.origin);
  const exchange = new TrailerExchange(request, handler);
  connect({ protocol, host, hostname, port }, (error, socket) => {
    if (error) exchange.fail(error);
    else if (socket) exchange.send(socket, host, maxHeaderSize);
  });
}

/** States: connecting → sending (the answer may begin meanwhile) → over. */
class TrailerExchange implements Dispatcher.DispatchController {
  paused = false;
  aborted = false;
  reason: Error | null = null;
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];
  readonly #request: RequestWithTrailers;
  readonly #handler: Dispatcher.DispatchHandler;
  #outgoing: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #over = false;

  constructor(request: RequestWithTrailers, handler: Dispatcher.DispatchHandler) {
    this.#request = request;
    this.#handler = handler;
  }

  pause(): void {
    this.paused = true;
    this.#incoming?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#incoming?.resume();
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
    this.fail(reason);
  }

  /** Ends the exchange. Only the first cause is told. */
  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#request.body.destroy();
    this.#outgoing?.destroy();
    this.#handler.onResponseError?.(this, error);
  }

  send(socket: Socket, host: string, maxHeaderSize: number): void {
    if (this.#over) return void socket.destroy();
    this.#handler.onRequestStart?.(this, {});
    // The handler may have nobody to answer to any more.
    if (this.aborted) return void socket.destroy();
    const { path, method, headers, headersTimeout } = this.#request;
    try {
      const outgoing = begin({
        createConnection: () => socket,
        path,
        method,
        headers: ["host", host, "connection", "close", ...headers, "transfer-encoding", "chunked"],
        maxHeaderSize,
      });
      this.#outgoing = outgoing;
      outgoing.maxHeadersCount = 0;
      outgoing.on("error", (error) => this.fail(error));
      outgoing.on("response", (incoming) => this.#receive(incoming));
      this.#watch(headersTimeout, new errors.HeadersTimeoutError());
      this.#pour(outgoing);
    } catch (error) {
      socket.destroy();
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #pour(outgoing: ClientRequest): void {
    const { body, trailers } = this.#request;
    // Sends the head now. As latin1, because `flushHeaders` would write it as UTF-8, which changes other bytes.
    outgoing.write("", "latin1");
    body.on("error", (error) => this.fail(error));
    body.on("end", () => {
      outgoing.addTrailers(inPairs(trailers()));
      outgoing.end();
    });
    body.pipe(outgoing, { end: false });
  }

  /** Silence of the socket ends the exchange, unless it is we who do not read. */
  #watch(ms: number, error: Error): void {
    const outgoing = this.#outgoing;
    outgoing?.removeAllListeners("timeout");
    outgoing?.setTimeout(ms, () => {
      if (this.paused) this.#watch(ms, error);
      else this.fail(error);
    });
  }

  #receive(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    this.#watch(this.#request.bodyTimeout, new errors.BodyTimeoutError());
    this.rawHeaders = asBytes(incoming.rawHeaders);
    // Undici reads the phrase as UTF-8; whoever listens expects it so.
    const reason = Buffer.from(incoming.statusMessage ?? "", "latin1").toString("utf8");
    incoming.on("error", (error) => this.fail(error));
    incoming.on("data", (chunk: Buffer) => void this.#handler.onResponseData?.(this, chunk));
    incoming.on("end", () => this.#finish(incoming));
    this.#handler.onResponseStart?.(this, incoming.statusCode ?? 0, {}, reason);
  }

  #finish(incoming: IncomingMessage): void {
    if (this.#over) return;
    this.#over = true;
    // An answer that came before the body was over is all there will be.
    this.#request.body.destroy();
    this.#outgoing?.destroy();
    this.rawTrailers = asBytes(incoming.rawTrailers);
    this.#handler.onResponseEnd?.(this, incoming.trailers);
  }
}

const asBytes = (texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, "latin1"));

const inPairs = (lines: string[]): [name: string, value: string][] =>
  lines.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, lines[at + 1] ?? ""]] : []));
