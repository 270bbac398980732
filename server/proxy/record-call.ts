/** Records a proxied call in the caller's trace: the call, and below it what was waited for at the provider. */
import { beginSpan } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { KnownTarget } from "./target.ts";

interface RecordedCall {
  /** Header of the caller. */
  traceparent: string | undefined;
  target: KnownTarget;
  method: string;
  requestId?: string | undefined;
  status: number;
  /** Busbar has refused the call. */
  byBusbar?: boolean | undefined;
  durationMs: number;
  /** Since the call was sent to the provider; undefined if it was not. */
  sentAgoMs: number | undefined;
}

/**
 * Records a proxied call as a span after it has ended, so that calls need no context of their own. Neither host nor path is recorded,
 * because they name customers and records; the usage log has the path.
 */
export function recordCall(tracer: Tracer, call: RecordedCall): void {
  const { target, method, status, sentAgoMs } = call;
  const span = beginSpan(tracer, readTraceparent(call.traceparent), {
    name: target.provider === undefined ? `proxy ${method}` : `proxy ${method} ${target.provider}`,
    kind: "server",
    attributes: {
      "http.request.method": method,
      "http.response.status_code": status,
      "busbar.request.id": call.requestId,
      "busbar.project.id": target.projectId,
      "busbar.installation.id": target.installationId,
      "busbar.connection.id": target.connectionId,
      "busbar.provider": target.provider,
      "busbar.proxy.refused": call.byBusbar,
    },
    agoMs: call.durationMs,
  });
  if (!span) return;
  if (sentAgoMs !== undefined) {
    const attributes = {
      "http.request.method": method,
      ...(!call.byBusbar && { "http.response.status_code": status }),
    };
    const name = `${method} ${target.provider}`;
    const sent = tracer.begin({ name, kind: "client", attributes, agoMs: sentAgoMs }, span.context);
    if (status >= 400) sent?.fail(String(status));
    sent?.end();
  }
  if (status >= 500) span.fail(String(status));
  span.end();
}
