/** HTTP/1.1 as bytes on a socket, for tests that must see what really went over the wire. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface WireMessage {
  /** First line and header lines as they came, without line ends, in latin1. */
  startLine: string;
  lines: string[];
  body: Buffer;
  /** Trailer lines of a chunked body. */
  trailers: string[];
}

/** How much body follows a head: by its lines, or because of what the head answers. */
type Framing = "by-headers" | "none" | "until-close";

/** Reads messages one after the other. Rejects when nothing arrives for `limitMs`. */
class WireReader {
  readonly #socket: Socket;
  readonly #limitMs: number;
  #buffer = Buffer.alloc(0);
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket, limitMs: number) {
    this.#socket = socket;
    this.#limitMs = limitMs;
    socket.on("data", (chunk) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      this.#wake?.();
    });
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    socket.on("end", end).on("close", end).on("error", end);
  }

  /** Whether the other side has ended the connection and everything was read. */
  get isOver(): boolean {
    return this.#ended && this.#buffer.length === 0;
  }

  async head(): Promise<{ startLine: string; lines: string[] } | undefined> {
    const end = await this.#find("\r\n\r\n");
    if (end === -1) return undefined;
    const [startLine = "", ...lines] = this.#take(end).toString("latin1").split("\r\n");
    this.#take(4);
    return { startLine, lines };
  }

  /** Undefined when the connection ended before a whole message came. */
  async message(framing: Framing = "by-headers"): Promise<WireMessage | undefined> {
    const head = await this.head();
    if (!head) return undefined;
    const body = await this.#body(head.lines, framing);
    return body && { ...head, ...body };
  }

  async #body(lines: string[], framing: Framing): Promise<{ body: Buffer; trailers: string[] } | undefined> {
    const empty = { body: Buffer.alloc(0), trailers: [] };
    if (framing === "none") return empty;
    if (findHeader(lines, "transfer-encoding") !== undefined) return this.#chunked();
    const length = findHeader(lines, "content-length");
    if (length !== undefined) {
      const enough = await this.#atLeast(Number(length));
      return enough ? { body: this.#take(Number(length)), trailers: [] } : undefined;
    }
    if (framing === "by-headers") return empty;
    while (!this.#ended) await this.#more();
    return { body: this.#take(this.#buffer.length), trailers: [] };
  }

  async #chunked(): Promise<{ body: Buffer; trailers: string[] } | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = await this.#find("\r\n");
      if (end === -1) return undefined;
      const size = Number.parseInt(this.#take(end).toString("latin1"), 16);
      this.#take(2);
      if (size === 0) break;
      if (!(await this.#atLeast(size + 2))) return undefined;
      parts.push(this.#take(size));
      this.#take(2);
    }
    const trailers: string[] = [];
    for (;;) {
      const end = await this.#find("\r\n");
      if (end === -1) return undefined;
      const line = this.#take(end).toString("latin1");
      this.#take(2);
      if (line === "") return { body: Buffer.concat(parts), trailers };
      trailers.push(line);
    }
  }

  async #find(text: string): Promise<number> {
    for (;;) {
      const at = this.#buffer.indexOf(text);
      if (at !== -1 || this.#ended) return at;
      await this.#more();
    }
  }

  async #atLeast(count: number): Promise<boolean> {
    while (this.#buffer.length < count && !this.#ended) await this.#more();
    return this.#buffer.length >= count;
  }

  #take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  #more(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#limitMs === Infinity) return promise;
    const silence = new Error(
      `nothing arrived for ${this.#limitMs} ms; so far: ${this.#buffer.toString("latin1", 0, 500)}`,
    );
    const timer = setTimeout(() => reject(silence), this.#limitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Returns the value of the first header of that name. */
export function findHeader(lines: string[], name: string): string | undefined {
  const line = lines.find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** Far longer than any answer takes, far shorter than the runner's limit for a test. */
const LIMIT_MS = 60_000;

/** A connection to write bytes to and read messages from. */
export async function dial(port: number): Promise<{ socket: Socket; reader: WireReader }> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return { socket, reader: new WireReader(socket, LIMIT_MS) };
}

/** Everything that is not a whole request goes into `broken`. */
export interface RawUpstream {
  port: number;
  origin: string;
  received: WireMessage[];
  /** Connections that are open now. */
  sockets: Set<Socket>;
  close(): void;
}

/** A provider that records requests and answers with the bytes it is told; `answer` may also do as it likes with the socket. */
export async function startUpstream(
  answer: (
    request: WireMessage,
    socket: Socket,
  ) => Buffer | string | undefined | Promise<Buffer | string | undefined>,
): Promise<RawUpstream> {
  const received: WireMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    // Callers keep their connections open for as long as they like.
    const reader = new WireReader(socket, Infinity);
    for (;;) {
      const request = await reader.message();
      if (!request) return;
      received.push(request);
      const bytes = await answer(request, socket);
      if (bytes !== undefined) socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    }
  });
  const port = await listen(server);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received,
    sockets,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Listens on a free port of loopback and says which. */
export async function listen(server: {
  listen(port: number, host: string): unknown;
  address(): AddressInfo | string | null;
}): Promise<number> {
  await once(Object(server.listen(0, "127.0.0.1")), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return address.port;
}
