/** Turns a plan into the connector's order. */
import type { RecordWrite } from "../../connector-kit/connector.ts";
import type { WritePlan } from "./plan-write.ts";

/** Returns what the connector is to write. `readBack`: whether the caller wants the record as it is after the write. */
export const toRecordWrite = (
  plan: WritePlan,
  { readBack, account, operationId }: Pick<RecordWrite, "account" | "operationId"> & { readBack: boolean },
): RecordWrite => ({
  objectName: plan.objectName,
  type: plan.type,
  ...(plan.key !== undefined && { key: plan.key }),
  batch: plan.batch,
  allOrNone: plan.allOrNone,
  headers: plan.headers,
  readBack,
  account,
  ...(operationId !== undefined && { operationId }),
  records: plan.records.map(({ id, fields, associations, idempotencyKey }) => ({
    id,
    fields,
    associations,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })),
});
