/** Posts batches to one address of a collector, as JSON, and logs when it fails and when it works again. */
import type { OperatorEgress } from "../egress/operator-egress.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import { retryAfter } from "../../ground/retry-after.ts";
import type { TelemetryConfig } from "../../ground/telemetry-config.ts";

/** `taken`: over, even if the collector has rejected parts. `later`: the same batch may be sent again. */
export type BatchOutcome = "taken" | "later";

export interface OtlpSender {
  /** Never rejects. */
  send(batch: object): Promise<BatchOutcome>;
}

/** The retryable statuses of the OTLP specification. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const MAX_ANSWER_BYTES = 64 * 1024;
/** A fault that lasts is logged again after this time. */
const LOG_EVERY_MS = 600_000;

export function openOtlpSender(deps: {
  egress: OperatorEgress;
  url: URL;
  /** For the log: "traces". */
  what: string;
  config: Pick<TelemetryConfig, "headers" | "timeoutMs">;
  log: Log;
}): OtlpSender {
  const { egress, url, what, config, log } = deps;
  let restUntilMs = 0;
  let fault: { sinceMs: number; loggedMs: number } | undefined;
  const onFailure = (reason: string): void => {
    const atMs = nowMs();
    if (fault && atMs - fault.loggedMs < LOG_EVERY_MS) return;
    fault = { sinceMs: fault?.sinceMs ?? atMs, loggedMs: atMs };
    log.warn({ collector: url.host, reason }, `${what} cannot be sent to the collector`);
  };
  const onSuccess = (): void => {
    if (fault) log.info({ collector: url.host, downMs: nowMs() - fault.sinceMs }, `${what} are sent again`);
    fault = undefined;
  };
  return {
    async send(batch) {
      if (nowMs() < restUntilMs) return "later";
      try {
        const answer = await egress.send({
          url,
          method: "POST",
          headers: { ...config.headers, "content-type": "application/json" },
          body: JSON.stringify(batch),
          timeoutMs: config.timeoutMs,
          totalTimeoutMs: config.timeoutMs,
          maxBytes: MAX_ANSWER_BYTES,
        });
        const { status } = answer;
        if (RETRYABLE.has(status)) {
          restUntilMs = retryAfter(answer.headers["retry-after"], nowMs())?.getTime() ?? 0;
          onFailure(`it answers ${status}`);
          return "later";
        }
        const rejected = status < 300 ? rejection(answer.body.toString("utf8")) : `it answers ${status}`;
        if (rejected === undefined) onSuccess();
        else onFailure(rejected);
        return "taken";
      } catch (error) {
        onFailure(error instanceof Error ? error.message : String(error));
        return "later";
      }
    },
  };
}

/** Returns why a collector that answers 200 has rejected parts of a batch; undefined if it has taken all. */
function rejection(answer: string): string | undefined {
  try {
    const body = JSON.parse(answer || "{}") as { partialSuccess?: Record<string, unknown> } | null;
    const { rejectedSpans, rejectedDataPoints, errorMessage } = body?.partialSuccess ?? {};
    const count = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
    return count > 0 ? `it rejected ${count}: ${String(errorMessage).slice(0, 200)}` : undefined;
  } catch {
    // Some collectors answer 200 with a text.
    return undefined;
  }
}
