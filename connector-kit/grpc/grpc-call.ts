/**
 * Calls gRPC methods over an HTTP/2 session that the caller opened through the egress guard: unary ones and streams both
 * ways. Only what a client needs: no compression, no service configuration (docs/decisions/0027).
 */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";

export interface GrpcCall {
  /** `/package.Service/Method` */
  path: string;
  /** Names in lower case. */
  metadata: Record<string, string>;
}

/** The call ended with another status than OK, or without one. */
export class GrpcError extends Error {
  override name = "GrpcError";
  /** gRPC's number; 14, unavailable, where the connection broke. */
  readonly status: number;
  /** Trailers of the status; empty if the connection broke. */
  readonly trailers: IncomingHttpHeaders;

  constructor(status: number, message: string, trailers: IncomingHttpHeaders = {}, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.trailers = trailers;
  }
}

export interface GrpcStream {
  send(message: Buffer): void;
  /** Sends the last message. A server answers a unary call only after it. */
  sendLast(message: Buffer): void;
  /** Ends when the server ends the call with OK; throws `GrpcError` otherwise. Not read: the server is slowed down. */
  messages(): AsyncGenerator<Buffer>;
  /** Ends the call; `messages` throws if it still runs. */
  cancel(): void;
}

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
const LONGEST_REASON = 500;
/** Answers of the API have at most 3 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
const PREFIX_BYTES = 5;
/** RST_STREAM with this code tells the server that nobody waits for the answer. */
const CANCEL = 8;

/** Returns the answer. Throws `GrpcError`. */
export async function callUnary(
  session: ClientHttp2Session,
  call: GrpcCall & { message: Buffer; timeoutMs: number },
): Promise<Buffer> {
  const stream = openStream(session, call);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.cancel();
  }, call.timeoutMs);
  try {
    stream.sendLast(call.message);
    let answer: Buffer | undefined;
    for await (const message of stream.messages()) answer = message;
    if (answer) return answer;
    throw new GrpcError(UNAVAILABLE, `${call.path} was answered without a message`);
  } catch (error) {
    if (isLate) throw new GrpcError(DEADLINE_EXCEEDED, `${call.path} was not answered in time`);
    throw error;
  } finally {
    clearTimeout(timer);
    stream.cancel();
  }
}

/** Opens a call whose messages go both ways. Throws `GrpcError`, also when its messages are read. */
export function openStream(session: ClientHttp2Session, { path, metadata }: GrpcCall): GrpcStream {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request(
      {
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        "user-agent": "busbar",
        ...metadata,
      },
      { endStream: false },
    );
  } catch (error) {
    throw broken(error);
  }
  const end: { trailers?: IncomingHttpHeaders; httpStatus?: number } = {};
  stream.on("response", (headers) => {
    end.httpStatus = headers[":status"];
    // An answer without a message has its status in the headers.
    if (headers["grpc-status"] !== undefined) end.trailers = headers;
  });
  stream.on("trailers", (trailers) => {
    end.trailers = trailers;
  });
  // Reported by whoever reads the messages.
  stream.on("error", () => {});
  return {
    send(message) {
      if (stream.writable) stream.write(framed(message));
    },
    sendLast(message) {
      if (stream.writable) stream.end(framed(message));
    },
    messages: () => readMessages(stream, end),
    cancel() {
      if (!stream.closed) stream.close(CANCEL);
      stream.destroy();
    },
  };
}

async function* readMessages(
  stream: ClientHttp2Stream,
  end: { trailers?: IncomingHttpHeaders; httpStatus?: number },
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let message = firstIn(rest); message; message = firstIn(rest)) {
        rest = rest.subarray(PREFIX_BYTES + message.length);
        yield message;
      }
    }
  } catch (error) {
    // The status may have come before the connection broke.
    if (!end.trailers) throw error instanceof GrpcError ? error : broken(error);
  }
  const failure = findFailure(end);
  if (failure) throw failure;
}

/** Returns the first message if it is there as a whole. */
function firstIn(bytes: Buffer): Buffer | undefined {
  if (bytes.length < PREFIX_BYTES) return undefined;
  if (bytes[0] !== 0) throw new GrpcError(UNAVAILABLE, "the server sent a compressed message");
  const length = bytes.readUInt32BE(1);
  if (length > MAX_BYTES) throw new GrpcError(UNAVAILABLE, `the server sent a message of ${length} bytes`);
  return bytes.length < PREFIX_BYTES + length
    ? undefined
    : bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length);
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function findFailure({
  trailers,
  httpStatus,
}: {
  trailers?: IncomingHttpHeaders;
  httpStatus?: number;
}): GrpcError | undefined {
  if (!trailers) {
    return new GrpcError(
      UNAVAILABLE,
      `the call ended without a status (HTTP ${httpStatus ?? "without answer"})`,
    );
  }
  const status = Number(trailers["grpc-status"] ?? UNAVAILABLE);
  return status === 0 ? undefined : new GrpcError(status, reasonIn(trailers), trailers);
}

/** The text is percent-encoded. */
function reasonIn(trailers: IncomingHttpHeaders): string {
  const text = String(trailers["grpc-message"] ?? "without a reason");
  try {
    return decodeURIComponent(text).slice(0, LONGEST_REASON);
  } catch {
    return text.slice(0, LONGEST_REASON);
  }
}

const broken = (error: unknown): GrpcError =>
  new GrpcError(
    UNAVAILABLE,
    `the connection broke: ${error instanceof Error ? error.message : String(error)}`,
    {},
    error,
  );
