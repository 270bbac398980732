/** Sends one HTTP request and streams the answer. Does not follow redirects, which could leak the API key. */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { Failure, Unreachable } from "../failures.ts";
import { findAuthorityRemedy } from "./unknown-authority.ts";

interface Call {
  method: string;
  url: URL;
  headers: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Timeout without any traffic. */
  idleMs?: number;
}

/** Synchronous writes wait for a provider, which may take a minute. */
const IDLE_MS = 120_000;

/** Returns the answer when its head has arrived; the body is not read yet. Throws `Unreachable` if there is no answer. */
export function send({ method, url, headers, body, idleMs = IDLE_MS }: Call): Promise<IncomingMessage> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let sent = false;
    const request = open(url, { method, headers, timeout: idleMs });
    request.on("finish", () => (sent = true));
    request.on("response", resolve);
    request.on("timeout", () => request.destroy(new Error(`no answer within ${idleMs / 1_000} seconds`)));
    request.on("error", (error) => reject(buildUnreachable(url, error, sent && method !== "GET")));
    request.end(body);
  });
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the DNS lookup failed",
  ECONNRESET: "the connection was reset",
  ETIMEDOUT: "timeout while connecting",
};

/** Builds the error of a server that does not answer. `maybeDone`: the request was sent, so it may have been executed. */
function buildUnreachable(
  url: URL,
  error: Error & { code?: string; errors?: { code?: string }[] },
  maybeDone: boolean,
): Unreachable {
  // A host with several addresses fails with an error for each.
  const code = error.code ?? error.errors?.[0]?.code ?? "";
  if (/wrong version number|packet length too long/i.test(error.message)) {
    return new Unreachable(`Cannot reach ${url.origin}: this port speaks http, not https.`, {
      remedy: `Use ${url.origin.replace("https:", "http:")}, or the port that speaks https.`,
      cause: error,
    });
  }
  const why = WORDS[code] ?? error.message;
  if (maybeDone) {
    return new Unreachable(
      `No answer from ${url.origin}: ${why}. It is unknown whether the request was executed.`,
      {
        remedy: "Check before you repeat it; a write with --idempotency-key can be repeated safely.",
        cause: error,
      },
    );
  }
  return new Unreachable(`Cannot reach ${url.origin}: ${why}.`, {
    remedy:
      findAuthorityRemedy(error) ??
      "Check that the server is running and that this is its address; --url names another one.",
    cause: error,
  });
}

/** Returns the whole body. Throws if it is longer than `maxBytes` or incomplete. */
export async function readBody(answer: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new Failure(`The body has more than ${maxBytes} bytes, which is the limit.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Unreachable("The connection broke before the answer was complete.", { cause: error });
  }
  return Buffer.concat(chunks);
}
