/** Sends the metrics that Prometheus would read, in an interval. */
import type { Registry } from "@prometheus-io/client";
import { nowMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import { metricsMessage } from "./otlp-messages.ts";
import type { OtlpSender } from "./otlp-sender.ts";

/** Starts at once. `stop` sends the last values. */
export function startSendingMetrics(deps: {
  registry: Registry;
  sender: OtlpSender;
  resource: Record<string, string>;
  everyMs: number;
  log: Log;
}): { stop(): Promise<void> } {
  const { registry, sender, resource, everyMs, log } = deps;
  const startMs = nowMs();
  let sending: Promise<void> | undefined;
  // Values that could not be sent are not kept: the next ones contain them.
  const send = (): Promise<void> => {
    sending ??= registry
      .getMetricsAsJSON()
      .then((metrics) => sender.send(metricsMessage(resource, metrics, { startMs, nowMs: nowMs() })))
      .then(
        () => {},
        (error: unknown) => log.error({ err: error }, "metrics could not be collected"),
      )
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };
  const timer = setInterval(() => void send(), everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}
