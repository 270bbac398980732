/** The only way out: one HTTP exchange whose answer streams. Redirects are not followed, so no key wanders off. */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { Failure, Unreachable } from "../failures.ts";

export interface Call {
  method: string;
  url: URL;
  headers: OutgoingHttpHeaders;
  body?: string | Buffer | Readable;
  /** Nothing came or went for this long. */
  idleMs?: number;
  signal?: AbortSignal;
}

/** Synchronous writes wait for a provider, which may take a minute. */
const IDLE_MS = 120_000;

/** The answer's head; its body is still to be read. Throws `Unreachable` when there is none. */
export function send({
  method,
  url,
  headers,
  body,
  idleMs = IDLE_MS,
  signal,
}: Call): Promise<IncomingMessage> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, timeout: idleMs, signal });
    request.on("response", resolve);
    request.on("timeout", () =>
      request.destroy(new Unreachable(`${url.host} did not answer within ${idleMs / 1_000} seconds.`)),
    );
    request.on("error", (error) => reject(error instanceof Failure ? error : unreachable(url, error)));
    if (body instanceof Readable) {
      body.on("error", (error) => request.destroy(error));
      body.pipe(request);
    } else request.end(body);
  });
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name cannot be looked up at the moment",
  ECONNRESET: "the connection broke",
  ETIMEDOUT: "no connection in time",
};

function unreachable(url: URL, error: Error & { code?: string; errors?: { code?: string }[] }): Unreachable {
  // An address with several IPs fails with all their errors at once.
  const code = error.code ?? error.errors?.[0]?.code ?? "";
  return new Unreachable(`Cannot reach ${url.origin}: ${WORDS[code] ?? error.message}.`, {
    remedy: "Is the server running, and is this its address? --url names another one.",
    cause: error,
  });
}

/** The whole body. Throws when it is longer than `maxBytes` or breaks off. */
export async function readBody(answer: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new Failure(`More than ${maxBytes} bytes came; that is not read.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Unreachable("The connection broke before the answer was complete.", { cause: error });
  }
  return Buffer.concat(chunks);
}
