/** Limits how many connections the API's listener holds, and for how long a caller may keep one waiting. */
import type { Server } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";

/** Options of Fastify and of Node's server. */
export const TIMEOUTS = {
  /** Timeout from the first byte of a request to its last. */
  requestTimeout: 300_000,
  /** Without a byte in either direction; longer than any endpoint takes to answer. */
  connectionTimeout: 600_000,
  /** Timeout between requests; longer than the idle timeouts of load balancers that may stand in front. */
  keepAliveTimeout: 75_000,
  http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
};

const BODY_SILENCE_MS = 30_000;
const WARN_EVERY_MS = 60_000;

/** Refuses a request whose body stops arriving. */
export function limitSilence(
  request: FastifyRequest,
  reply: FastifyReply,
  silenceMs = BODY_SILENCE_MS,
): void {
  const { raw } = request;
  if (raw.complete) return;
  raw.setTimeout(silenceMs, () => {
    if (!reply.sent && !raw.complete) reply.send(buildBodySilent(silenceMs));
    else raw.socket.destroy();
  });
  raw.once("end", () => raw.socket.setTimeout(TIMEOUTS.connectionTimeout));
}

const buildBodySilent = (silenceMs: number): Problem =>
  new Problem("request-timeout", {
    detail: `Nothing of the body arrived for ${silenceMs / 1_000} s. Send the request again without a pause.`,
  });

/** Closes connections beyond the maximum at once, and reports it once a minute. `setting` names the variable. */
export function limitConnections(
  server: Server,
  max: number,
  log: Log,
  setting = "BUSBAR_API_CONNECTIONS",
): void {
  server.maxConnections = max;
  let warnedMs = -Infinity;
  server.on("drop", () => {
    if (nowMs() - warnedMs < WARN_EVERY_MS) return;
    warnedMs = nowMs();
    log.warn({ max }, `connections refused: ${setting} are open`);
  });
}
