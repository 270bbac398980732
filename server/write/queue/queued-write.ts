/** Serialises the records of a queued write: their plan, and the outcome of those that have one. */
import type { RecordOutcome } from "../../../connector-kit/connector.ts";
import { ProviderError, type ProviderErrorKind } from "../../../connector-kit/calls/provider-error.ts";
import type { Json } from "../../../ground/json.ts";
import type { QueuedWriteType } from "../../store/operations/accept-writes.ts";
import { createKey } from "../create-keys.ts";
import { summarize, type OperationSummary } from "../operation-log.ts";
import type { PlannedRecord, WritePlan } from "../plan-write.ts";

type StoredOutcome =
  | { success: true; recordId?: string }
  | { success: false; kind: ProviderErrorKind; message: string; code?: string };

export interface StoredRecord {
  planned: PlannedRecord;
  outcome?: StoredOutcome;
  /** Attempts that the provider answered with a refusal after which another one may help. */
  refusals?: number;
}

/** How a queued write is to be sent. */
export interface SendOptions {
  batch: boolean;
  allOrNone: boolean;
  headers: Record<string, string>;
  onUnknownOutcome: "fail" | "retry";
  /** Upsert: the provider's field that names the records. */
  key?: string;
  /** The write of a group: its log has an entry per record. */
  grouped: boolean;
  /** The builder's name for the object, where it differs from the provider's; used in results and events. */
  mappedName?: string;
  /** The trace that the write belongs to, as the header `traceparent`; of a group, that of its first record. */
  traceparent?: string;
}

/** Returns the JSON to store, without members that are undefined. It is not checked when it is read: only this file writes it. */
export const toJson = (value: StoredRecord | SendOptions): Json => value as unknown as Json;
export const readSendOptions = (sendOptions: Json): SendOptions => sendOptions as unknown as SendOptions;

export function storeOutcome(outcome: RecordOutcome): StoredOutcome {
  if (outcome.success) return { success: true, recordId: outcome.recordId };
  const { kind, message, code } = outcome.error;
  return { success: false, kind, message, code };
}

export function readOutcome(stored: StoredOutcome): RecordOutcome {
  if (stored.success) return { success: true, recordId: stored.recordId };
  const { kind, message, code } = stored;
  return { success: false, error: new ProviderError({ kind, message, code }) };
}

/** The members of a queued write that are stored as JSON. */
export interface QueuedWrite {
  records: StoredRecord[];
  sendOptions: SendOptions;
}

export const readQueuedWrite = (row: { records: Json[]; sendOptions: Json }): QueuedWrite => ({
  records: row.records as unknown as StoredRecord[],
  sendOptions: readSendOptions(row.sendOptions),
});

/** Returns the outcome of each record. `buildMissing` builds that of a record without one: an error with its stack costs 10 µs. */
export const listOutcomes = (records: StoredRecord[], buildMissing: () => RecordOutcome): RecordOutcome[] =>
  records.map(({ outcome }) => (outcome ? readOutcome(outcome) : buildMissing()));

/** Returns how the operation of a queued write ended. */
export const summarizeQueued = (
  write: { writeType: QueuedWriteType; objectName: string },
  { records, sendOptions }: QueuedWrite,
  outcomes: RecordOutcome[],
): OperationSummary =>
  summarize(
    {
      type: write.writeType,
      messageName: chooseMessageName(write, sendOptions),
      batch: sendOptions.batch,
      records: records.map(({ planned }) => planned),
    },
    outcomes,
  );

export const chooseMessageName = (write: { objectName: string }, { mappedName }: SendOptions): string =>
  mappedName ?? write.objectName;

/** Returns the plan of the records without an outcome. */
export const buildPendingPlan = (
  write: { operationId: string; writeType: QueuedWriteType; objectName: string },
  sendOptions: SendOptions,
  records: StoredRecord[],
): WritePlan => ({
  type: write.writeType,
  ...(sendOptions.key !== undefined && { key: sendOptions.key }),
  objectName: write.objectName,
  messageName: chooseMessageName(write, sendOptions),
  batch: sendOptions.batch,
  allOrNone: sendOptions.allOrNone,
  headers: sendOptions.headers,
  records: records.flatMap(({ planned, outcome, refusals = 0 }, position) => {
    if (outcome) return [];
    if (write.writeType !== "create") return [planned];
    const { operationId } = write;
    return [{ ...planned, idempotencyKey: () => createKey({ operationId, position, refusals }) }];
  }),
});
