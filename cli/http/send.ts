/** The only way out: one HTTP exchange whose answer streams. Redirects are not followed, so no key wanders off. */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { Failure, Unreachable } from "../failures.ts";

export interface Call {
  method: string;
  url: URL;
  headers: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Nothing came or went for this long. */
  idleMs?: number;
}

/** Synchronous writes wait for a provider, which may take a minute. */
const IDLE_MS = 120_000;

/** The answer's head; its body is still to be read. Throws `Unreachable` when there is none. */
export function send({ method, url, headers, body, idleMs = IDLE_MS }: Call): Promise<IncomingMessage> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let sent = false;
    const request = open(url, { method, headers, timeout: idleMs });
    request.on("finish", () => (sent = true));
    request.on("response", resolve);
    request.on("timeout", () => request.destroy(new Error(`no answer within ${idleMs / 1_000} seconds`)));
    request.on("error", (error) => reject(unreachable(url, error, sent && method !== "GET")));
    request.end(body);
  });
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name cannot be looked up at the moment",
  ECONNRESET: "the connection broke",
  ETIMEDOUT: "no connection in time",
};

/** `maybeDone`: the request had left, and what it asked for may have happened. */
function unreachable(
  url: URL,
  error: Error & { code?: string; errors?: { code?: string }[] },
  maybeDone: boolean,
): Unreachable {
  // An address with several IPs fails with all their errors at once.
  const code = error.code ?? error.errors?.[0]?.code ?? "";
  const why = WORDS[code] ?? error.message;
  if (maybeDone) {
    return new Unreachable(`No answer from ${url.origin}: ${why}. Whether it was carried out is not known.`, {
      remedy: "Look before you repeat it; a write with --idempotency-key can be repeated as it is.",
      cause: error,
    });
  }
  return new Unreachable(`Cannot reach ${url.origin}: ${why}.`, {
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
