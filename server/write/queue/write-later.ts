/** Accepts an asynchronous write: it is committed before the answer is sent, and executed by a worker. */
import { formatTraceparent } from "../../../ground/span.ts";
import type { WriteTarget } from "../find-target.ts";
import { createOperation } from "../create-operation.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import type { Actor } from "../../store/operations/operations.ts";
import { upsertRecordKey } from "../../../connector-kit/calls/upsert-key.ts";
import type { PlannedRecord, WritePlan } from "../plan-write.ts";
import { toJson } from "./queued-write.ts";
import type { WriteRequest } from "../write-request.ts";

export interface WriteLaterServices {
  ledger: OperationLedger;
  /** Length of a minute of `maxDelayMinutes` and of the deadlines; shorter in tests. */
  minuteMs: number;
}

const DEFAULT_DEADLINE_HOURS = 1;

/** Returns the id of the operation: of an auto-batched record the one of its group. */
export async function writeLater(
  deps: WriteLaterServices,
  begun: { id: string; requestId: string; actor?: Actor | undefined },
  target: WriteTarget,
  plan: WritePlan,
  request: WriteRequest,
): Promise<{ operationId: string }> {
  const { autoBatchPolicy, retryPolicy } = request;
  const hours = autoBatchPolicy ? autoBatchPolicy.retryDeadlineHours : retryPolicy?.deadlineHours;
  const write = {
    operation: createOperation(target, plan, begun),
    writeType: plan.type === "delete" ? ("update" as const) : plan.type,
    sendOptions: toJson({
      batch: plan.batch || autoBatchPolicy !== undefined,
      allOrNone: plan.allOrNone,
      headers: plan.headers,
      onUnknownOutcome: retryPolicy?.onUnknownOutcome ?? "fail",
      grouped: autoBatchPolicy !== undefined,
      mappedName: target.settings.mappedName,
      traceparent: formatTraceparent(),
      ...(plan.key !== undefined && { key: plan.key }),
    }),
    records: plan.records.map((planned) => toJson({ planned })),
    recordKeys: plan.records.flatMap((record) => recordKey(target, plan, record) ?? []),
    dueMs: autoBatchPolicy ? autoBatchPolicy.maxDelayMinutes * deps.minuteMs : 0,
    retryMs: (hours ?? DEFAULT_DEADLINE_HOURS) * 60 * deps.minuteMs,
  };
  if (!autoBatchPolicy) {
    await deps.ledger.accept(write);
    return { operationId: begun.id };
  }
  return {
    operationId: await deps.ledger.group({ ...write, groupKey: buildGroupKey(target, plan, request) }),
  };
}

/** Builds the key of a group. Its records are sent in one request, so they must agree in everything about sending. */
function buildGroupKey(
  { installation }: WriteTarget,
  plan: WritePlan,
  { retryPolicy }: WriteRequest,
): string {
  const headers = Object.entries(plan.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const onUnknownOutcome = retryPolicy?.onUnknownOutcome ?? "fail";
  const type = plan.key === undefined ? plan.type : `${plan.type} by ${plan.key}`;
  return JSON.stringify([installation.id, plan.objectName, type, headers.toSorted(), onUnknownOutcome]);
}

/**
 * Returns a text that is the same for two writes of one record. An update by id and an upsert by key of one record have different
 * ones: the id is not known before the upsert.
 */
function recordKey(
  { installation, connector }: WriteTarget,
  plan: WritePlan,
  record: PlannedRecord,
): string | undefined {
  const object = plan.objectName.toLowerCase();
  if (plan.type === "upsert")
    return JSON.stringify([installation.id, object, "key", upsertRecordKey(plan, record)]);
  return record.id === undefined
    ? undefined
    : JSON.stringify([installation.id, object, connector.write.recordKey(record.id)]);
}
