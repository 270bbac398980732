/** Describes the spans of writes: the request's part of a write, and each attempt at a queued one. */
import type { WorkStart } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { SpanStart, Tracer } from "../../ground/tracer.ts";
import type { ClaimedWrite } from "../store/operations/write-queue.ts";
import type { WriteTarget } from "./find-target.ts";
import type { WritePlan } from "./plan-write.ts";
import { readSendOptions } from "./queue/queued-write.ts";

/** Describes a write as its request carries it out, or puts it into the queue. */
export const describeWriteWork = (
  { installation, integration }: WriteTarget,
  plan: WritePlan,
  { id, isQueued }: { id: string; isQueued: boolean },
): SpanStart => ({
  name: isQueued ? "queue write" : "write",
  kind: isQueued ? "producer" : "internal",
  attributes: {
    "busbar.operation.id": id,
    "busbar.installation.id": installation.id,
    "busbar.provider": integration.provider,
    "busbar.object": plan.objectName,
    "busbar.write.type": plan.type,
    "busbar.write.records": plan.records.length,
  },
});

/** An attempt at a queued write: in the trace of the request that queued it. */
export function describeAttemptWork(tracer: Tracer | undefined, write: ClaimedWrite): WorkStart {
  const { operationId, projectId, installationId, objectName, writeType, attempts } = write;
  return {
    tracer,
    caller: readTraceparent(readSendOptions(write.sendOptions).traceparent),
    ids: { projectId, installationId, operationId },
    name: "attempt write",
    kind: "consumer",
    attributes: {
      "busbar.operation.id": operationId,
      "busbar.project.id": projectId,
      "busbar.installation.id": installationId,
      "busbar.object": objectName,
      "busbar.write.type": writeType,
      "busbar.attempt": attempts + 1,
    },
  };
}
