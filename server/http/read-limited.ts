/** Passes a raw body on while it arrives, up to a limit. */
import type { IncomingMessage } from "node:http";
import { Problem } from "../../ground/errors.ts";

/** Yields the chunks of a body. Throws `body-too-large` before the first one if its length is announced as too large. */
export async function* readLimited(body: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = Number(body.headers["content-length"] ?? 0);
  if (sizeBytes > limitBytes) throw refuseTooLarge(limitBytes);
  sizeBytes = 0;
  // Destroying the body would end the connection before the refusal is sent.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const bytes: unknown = chunk;
    if (!Buffer.isBuffer(bytes)) throw new TypeError("a raw body must not be decoded");
    sizeBytes += bytes.length;
    if (sizeBytes > limitBytes) throw refuseTooLarge(limitBytes);
    yield bytes;
  }
}

const refuseTooLarge = (limitBytes: number): Problem =>
  new Problem("body-too-large", {
    detail: `The body is larger than this endpoint takes (${limitBytes / 1024 / 1024} MB).`,
  });
