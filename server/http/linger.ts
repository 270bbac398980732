/** Reads on after a refusal: many callers read the answer only after they have sent their whole body. */
import type { IncomingMessage } from "node:http";
import { elapsedMs } from "../../ground/clock.ts";

const CHECK_MS = 100;
/** Above the bodies that callers send by mistake: reading costs processor time, so strangers get no more. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 30_000;
const MAX_CONCURRENT = 16;

let lingering = 0;

/**
 * Discards the rest of a request that was answered before it arrived completely. Ends the connection when the rest is
 * too large or takes too long, or if too many are read already.
 */
export function linger(
  request: IncomingMessage,
  limits: { forMs?: number; maxBytes?: number; maxConcurrent?: number } = {},
): void {
  const { forMs = MAX_MS, maxBytes = MAX_BYTES, maxConcurrent = MAX_CONCURRENT } = limits;
  const { socket } = request;
  if (lingering >= maxConcurrent) return void socket.destroySoon();
  lingering += 1;
  const readBefore = socket.bytesRead;
  const startedMs = elapsedMs();
  request.resume();
  const check = setInterval(() => {
    const over = socket.bytesRead - readBefore > maxBytes || elapsedMs() - startedMs > forMs;
    if (over && !request.complete) socket.destroy();
    if (!request.complete && !socket.destroyed) return;
    clearInterval(check);
    lingering -= 1;
  }, CHECK_MS);
}
