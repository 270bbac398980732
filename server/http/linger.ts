/** Reads on after a refusal: many callers read the answer only after they have sent their whole body. */
import type { IncomingMessage } from "node:http";
import { elapsedMs } from "../ground/clock.ts";

const CHECK_MS = 100;
/** Above the largest body that any endpoint accepts. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MS = 30_000;

/**
 * Discards the rest of a request that was answered before it arrived completely. Ends the connection when the rest is
 * too large or takes too long; an answer that was sent before has arrived by then.
 */
export function linger(
  request: IncomingMessage,
  { forMs = MOST_MS, mostBytes = MOST_BYTES }: { forMs?: number; mostBytes?: number } = {},
): void {
  const { socket } = request;
  const readBefore = socket.bytesRead;
  const startedMs = elapsedMs();
  request.resume();
  const check = setInterval(() => {
    const over = socket.bytesRead - readBefore > mostBytes || elapsedMs() - startedMs > forMs;
    if (over && !request.complete) socket.destroy();
    if (request.complete || socket.destroyed) clearInterval(check);
  }, CHECK_MS);
}
